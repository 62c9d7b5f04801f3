import {isBurning, usableRate} from '../cost.ts';
import {safeText, say} from '../safe-text.ts';
import {MINUTE_MS} from '../time.ts';
import type {Finding, TriageRule} from './finding.ts';
import {rateWords} from './words.ts';

/** The lists and the meter are read at different moments: what is new or just gone is in one of them only. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS;

/** The meter runs for something that stands in no list. */
export const ghostSpend: TriageRule = {
  id: 'ghost-spend',
  judge: ({usage, machines, volumes, partial, now}) => {
    if (usage === undefined) return {findings: [], cannotJudge: say`the usage was not read`};
    const listed = new Map<string, ReadonlySet<number> | undefined>([
      ['vm', partial.has('machines') ? undefined : machines && new Set(machines.map(({id}) => id))],
      ['volume', partial.has('volumes') ? undefined : volumes && new Set(volumes.map(({id}) => id))],
    ]);
    const findings = usage.flatMap((record): readonly Finding[] => {
      const type = record.resourceType.toLowerCase();
      const known = listed.get(type);
      const rate = usableRate(record);
      const isSettled = record.createdAt !== undefined && now - record.createdAt > SETTLED_AFTER_MS;
      if (known === undefined || known.has(record.resourceId) || !isBurning(record) || !isSettled) return [];
      return [
        {
          rule: 'ghost-spend',
          severity: 'warning',
          subject: {type: type === 'vm' ? 'vm' : 'volume', id: record.resourceId, name: record.name},
          summary: say`billed, but in no list`,
          ...(record.createdAt === undefined ? {} : {since: record.createdAt}),
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            rate === undefined
              ? say`${record.resourceType} #${record.resourceId} is metered and in no list`
              : say`${record.resourceType} #${record.resourceId} is metered at ${rateWords(rate)} and in no list`,
          ],
          advice: say`Ask the provider: nothing can be done about it from here.`,
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
