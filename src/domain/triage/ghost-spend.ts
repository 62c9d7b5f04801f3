import {ghostWaste} from '../money/waste.ts';
import {safeText, say} from '../safe-text.ts';
import type {RuleFinding, TriageRule} from './finding.ts';
import {rateWords} from './words.ts';

/** Something is billed that is in no list. */
export const ghostSpend: TriageRule = {
  id: 'ghost-spend',
  judge: ({usage, machines, volumes, partial, now}) => {
    if (usage === undefined) return {findings: [], cannotJudge: say`the usage was not read`};
    const listed = {
      vm: partial.has('machines') ? undefined : machines && new Set(machines.map(({id}) => id)),
      volume: partial.has('volumes') ? undefined : volumes && new Set(volumes.map(({id}) => id)),
    };
    const findings = usage.flatMap((record): readonly RuleFinding[] => {
      const ghost = ghostWaste(record, {listed, now});
      if (ghost === undefined) return [];
      const {resourceType, rate} = ghost;
      return [
        {
          severity: 'warning',
          subject: {type: resourceType, id: record.resourceId, name: record.name},
          summary: say`billed, but not in any list`,
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            rate === undefined
              ? say`${record.resourceType} #${record.resourceId} is metered, but not in any list`
              : say`${record.resourceType} #${record.resourceId} is metered at ${rateWords(rate)}, but not in any list`,
          ],
          advice: say`Ask the provider: it cannot be changed from here.`,
          commands: [say`skydeck get usage --filter ${record.resourceId}`],
        },
      ];
    });
    const [cut] = partial;
    if (cut !== undefined) return {findings, cannotJudge: say`the list of ${safeText(cut)} is not complete`};
    const isRead = machines !== undefined && volumes !== undefined;
    return isRead ? {findings} : {findings, cannotJudge: say`the lists of machines and volumes were not read`};
  },
};
