import {countedWords} from '../listed-words.ts';
import {unattachedWaste} from '../money/waste.ts';
import {say} from '../safe-text.ts';
import {judgeEach, type TriageRule} from './finding.ts';
import {durationWords, rateWords} from './words.ts';

/** A volume that is attached to nothing, and paid for. */
export const unattachedVolume: TriageRule = {
  id: 'unattached-volume',
  isWaste: true,
  judge: ({volumes, volumeRates, preferences: {prices}, now}) => {
    const unread = volumes?.filter(({hasUnreadAttachments}) => hasUnreadAttachments === true).length ?? 0;
    const verdict = judgeEach(volumes, 'volumes', volume => {
      const metered = volumeRates?.get(volume.id);
      const waste = unattachedWaste(volume, {rate: metered, prices, now});
      if (waste === undefined) return undefined;
      const {since, rate} = waste;
      const length = since === undefined ? say`` : say`unchanged for ${durationWords(now - since)} and `;
      return {
        severity: 'notice',
        subject: {type: 'volume', id: volume.id, name: volume.name},
        summary: say`unattached volume`,
        ...(since === undefined ? {} : {since}),
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`${length}attached to no machine`,
          ...(metered === undefined ? [] : [say`metered at ${rateWords(metered)}`]),
        ],
        advice: say`Attach it, or delete it if its contents are not needed.`,
        // A record without a readable size and without a price is not reason enough to delete anything.
        ...(rate === undefined
          ? {commands: []}
          : {
              fixes: [{kind: 'volume.delete', id: volume.id}] as const,
              commands: [say`skydeck volume delete ${volume.id}`],
            }),
      };
    });
    return unread === 0
      ? verdict
      : {...verdict, cannotJudge: say`the attachments of ${countedWords(unread, say`volume`)} could not be read`};
  },
};
