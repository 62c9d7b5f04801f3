import {ghostWaste} from '../money/waste.ts';
import {say} from '../safe-text.ts';
import type {RuleFinding, TriageRule} from './finding.ts';
import {rateWords} from './words.ts';

/** Something is billed that is in no list. */
export const ghostSpend: TriageRule = {
  id: 'ghost-spend',
  looksFor: say`what is billed but not listed`,
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
    const unread = [
      ...(machines === undefined ? [say`machines`] : []),
      ...(volumes === undefined ? [say`volumes`] : []),
    ];
    const gaps = [...unread.map(list => say`the list of ${list} was not read`), ...[...partial.values()].flat()];
    return {findings, cannotJudge: gaps};
  },
};
