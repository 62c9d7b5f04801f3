import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, HOUR_MS} from '../../domain/time.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {findingKey, type Mute} from '../../domain/triage/mute.ts';
import {isWasteRule} from '../../domain/triage/triage.ts';
import {organizationFeed} from '../../state/account.ts';
import {formatUtcMoment} from '../../ui/format.ts';
import type {CollectionCommand, CollectionMenu} from '../list/collection-commands.ts';
import type {CommandResult} from '../command.ts';
import {
  type ChosenFindings,
  chosenFindings,
  type OverviewChoice,
  type OverviewContext,
  slippedTo,
} from './findings-part.ts';
import {findingsOf} from './rows.ts';
import {KEYS} from '../../actions/keys.ts';

/** When people are back at work, in UTC as all times of the deck. */
const MORNING_HOUR = 8;

type Until = {readonly key: string; readonly title: SafeText; readonly moment: (now: EpochMs) => EpochMs};

const SNOOZES: readonly Until[] = [
  {key: '1', title: say`1 hour`, moment: after(HOUR_MS)},
  {key: '4', title: say`4 hours`, moment: after(4 * HOUR_MS)},
  {key: 't', title: say`tomorrow, 08:00 UTC`, moment: tomorrowMorning},
  {key: '7', title: say`7 days`, moment: after(7 * DAY_MS)},
];

const KEEPS: readonly Until[] = [
  {key: '1', title: say`1 day`, moment: after(DAY_MS)},
  {key: '7', title: say`7 days`, moment: after(7 * DAY_MS)},
  {key: '3', title: say`30 days`, moment: after(30 * DAY_MS)},
  {key: '9', title: say`90 days`, moment: after(90 * DAY_MS)},
];

/**
 * Acknowledge, snooze, keep: from then on, the findings of the marked rows, or of the row under the cursor, are counted
 * but not listed. The menus open even if they do not apply, and give the reason: otherwise a digit meant for the menu
 * would open a pane.
 */
export const MUTE_COMMANDS: readonly CollectionCommand<OverviewChoice>[] = [
  {
    id: 'overview.acknowledge',
    title: say`acknowledge`,
    titleHere: context => (isMuted(context) ? say`list again` : undefined),
    help: 'Mutes the finding until it gets worse or starts again; for a muted one: lists it again. :muted shows all of those.',
    keys: [KEYS.mute],
    group: 'Findings',
    isInStatusBar: true,
    isAbsent: hasNone,
    disabledReason: context => noneReason(context),
    run: context => {
      const chosen = chosenFindings(context);
      if (chosen.findings.length === 0) return unmuted(chosen, context);
      return slippedTo(context, say`${KEYS.mute} again acknowledges`) ?? acknowledged(chosen, context);
    },
  },
  {
    id: 'overview.snooze',
    title: say`snooze`,
    help: 'Mutes the finding for a time, unless it gets worse or starts again.',
    keys: ['S'],
    group: 'Findings',
    opens: 'snooze',
    isInStatusBar: true,
    isAbsent: context => hasNone(context) || isMuted(context),
    disabledReason: context => noneReason(context),
    run: () => ({kind: 'menu', menuId: 'snooze'}),
  },
  {
    id: 'overview.keep',
    title: say`keep`,
    help: 'Keeps a machine or volume that is idle on purpose: until a date it does not count as waste.',
    keys: ['K'],
    group: 'Findings',
    opens: 'keep',
    isAbsent: context => hasNone(context) || keepReason(context) !== undefined,
    disabledReason: context => noneReason(context),
    run: () => ({kind: 'menu', menuId: 'keep'}),
  },
];

function isMuted(context: OverviewContext): boolean {
  const {findings, muted} = chosenFindings(context);
  return findings.length === 0 && muted.length > 0;
}

export const MUTE_MENUS: readonly CollectionMenu<OverviewChoice>[] = [
  {
    id: 'snooze',
    title: context => say`snooze ${chosenFindings(context).words}`,
    commands: SNOOZES.map(until =>
      untilCommand('snooze', until, (finding, moment, context) => [
        {kind: 'snoozed', until: moment, ...muteFields(finding, context)},
      ]),
    ),
  },
  {
    id: 'keep',
    title: context => say`keep ${chosenFindings(context).words}`,
    commands: KEEPS.map(until =>
      untilCommand('keep', until, ({subject: {type, id}}, moment, context) => {
        if ((type !== 'vm' && type !== 'volume' && type !== 'cluster') || id === undefined) return [];
        return [{kind: 'kept', until: moment, resourceType: type, resourceId: id, ...placeAndTime(context)}];
      }),
    ),
  },
];

function untilCommand(
  verb: 'snooze' | 'keep',
  {key, title, moment}: Until,
  mutesOf: (finding: Finding, until: EpochMs, context: OverviewContext) => readonly Mute[],
): CollectionCommand<OverviewChoice> {
  return {
    id: `overview.${verb}.${key}`,
    title,
    help: `${verb === 'snooze' ? 'Snoozes' : 'Keeps'} it ${moment === tomorrowMorning ? 'until' : 'for'} ${title}.`,
    keys: [key],
    group: 'Findings',
    disabledReason: verb === 'snooze' ? mutedReason : context => mutedReason(context) ?? keepReason(context),
    consequence: ({scene}) => say`until ${safeText(formatUtcMoment(moment(scene.now)))}`,
    run: context => {
      const {findings, words} = chosenFindings(context);
      const until = moment(context.scene.now);
      const add = findings.flatMap(finding => mutesOf(finding, until, context));
      const done = verb === 'snooze' ? say`snoozed` : say`kept`;
      const says = say`${done} until ${safeText(formatUtcMoment(until))}: ${words}`;
      return {kind: 'mute', add, remove: [], says};
    },
  };
}

/** Mutes findings until they get worse or start again. */
export function acknowledged(
  {findings, words}: Pick<ChosenFindings, 'findings' | 'words'>,
  known: Pick<OverviewContext, 'scene'>,
): CommandResult {
  const add = findings.map((finding): Mute => ({kind: 'acknowledged', ...muteFields(finding, known)}));
  return {kind: 'mute', add, remove: [], says: say`acknowledged: ${words}`};
}

function unmuted({muted, words}: ChosenFindings, {scene}: OverviewContext): CommandResult {
  const own = new Set(scene.mutes);
  const remove = [...new Set(muted.flatMap(({mutes}) => mutes))].filter(mute => own.has(mute));
  return remove.length === 0
    ? {kind: 'say', text: say`kept by the settings file: remove it there`, tone: 'warning'}
    : {kind: 'mute', add: [], remove, says: say`listed again: ${words}`, undone: say`muted again: ${words}`};
}

function hasNone(context: OverviewContext): boolean {
  return noneReason(context) !== undefined;
}

export function noneReason(context: OverviewContext): SafeText | undefined {
  const {findings, muted} = chosenFindings(context);
  return findings.length + muted.length === 0 ? say`there is nothing under the cursor` : undefined;
}

function mutedReason(context: OverviewContext): SafeText | undefined {
  return isMuted(context) ? say`it is muted already; ${KEYS.mute} lists it again` : undefined;
}

function keepReason(context: OverviewContext): SafeText | undefined {
  const {findings, muted} = chosenFindings(context);
  const all = [...findings, ...findingsOf(muted)];
  const isWaste = all.length > 0 && all.every(({rule}) => isWasteRule(rule));
  return isWaste ? undefined : say`only waste can be kept; ${KEYS.mute} acknowledges it`;
}

function muteFields(finding: Finding, known: Pick<OverviewContext, 'scene'>) {
  return {finding: findingKey(finding), severity: finding.severity, ...placeAndTime(known)};
}

function placeAndTime({scene}: Pick<OverviewContext, 'scene'>): {
  readonly at: EpochMs;
  readonly organizationId?: number;
} {
  const organizationId = lastValue(scene.store.get(organizationFeed))?.id;
  return {at: scene.now, ...(organizationId === undefined ? {} : {organizationId})};
}

function after(length: DurationMs): Until['moment'] {
  return now => epochMs(now + length);
}

function tomorrowMorning(now: EpochMs): EpochMs {
  return epochMs((Math.floor(now / DAY_MS) + 1) * DAY_MS + MORNING_HOUR * HOUR_MS);
}
