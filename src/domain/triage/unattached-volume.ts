import {say} from '../safe-text.ts';
import {DAY_MS} from '../time.ts';
import {isUnattached} from '../volume.ts';
import {judgeEach, type TriageRule} from './finding.ts';
import {durationWords, rateWords} from './words.ts';

/** A volume is often kept for some days between two machines (cost.md 2.9). */
const WASTE_AFTER_MS = 7 * DAY_MS;

/** A volume that is attached to nothing, and paid for. */
export const unattachedVolume: TriageRule = {
  id: 'unattached-volume',
  isWaste: true,
  judge: ({volumes, volumeRates, now}) =>
    judgeEach(volumes, 'volumes', volume => {
      const since = volume.updatedAt ?? volume.createdAt;
      if (!isUnattached(volume) || since === undefined || now - since < WASTE_AFTER_MS) return undefined;
      const rate = volumeRates?.get(volume.id);
      return {
        rule: 'unattached-volume',
        severity: 'notice',
        subject: {type: 'volume', id: volume.id, name: volume.name},
        summary: say`unattached volume`,
        since,
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`unchanged for ${durationWords(now - since)} and attached to no machine`,
          ...(rate === undefined ? [] : [say`metered at ${rateWords(rate)}`]),
        ],
        advice: say`Attach it, or delete it if its contents are not needed.`,
        fixes: [{kind: 'volume.delete', id: volume.id}],
        commands: [say`skydeck volume delete ${volume.id}`],
      };
    }),
};
