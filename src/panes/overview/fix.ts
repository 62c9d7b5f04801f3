import {cannotOperateReason} from '../../actions/action-question.ts';
import {actionOfFix, verbOf} from '../../actions/actions.ts';
import {candidatesOf, reasonAgainstAll} from '../../actions/ask.ts';
import type {Action} from '../../domain/action.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {askAboutEnding} from '../action-keys.ts';
import type {CommandResult} from '../command.ts';
import type {Scene} from '../pane.ts';
import type {FindingRow} from './rows.ts';

/** What a key may be about: findings, or muted findings of a line. */
type Found = {readonly findings: readonly Finding[]} & Partial<Pick<FindingRow, 'mutes'>>;

/** The actions that end the findings; none for muted ones. */
export function fixesOf({findings, mutes = []}: Found): readonly Action[] {
  if (mutes.length > 0) return [];
  return findings.flatMap(({fixes = []}) => fixes.flatMap(fix => actionOfFix(fix) ?? []));
}

/** What the fix key asks about, in a word or two; undefined if no action fixes it. */
export function fixWord({findings, mutes = []}: Found): SafeText | undefined {
  if (mutes.length > 0) return undefined;
  const [first, ...others] = new Set(findings.flatMap(({fixes = []}) => fixes.map(({kind}) => verbOf(kind))));
  return first === undefined || others.length === 0 ? first : say`${first} …`;
}

/** Why there is nothing to ask about now; undefined if there is. */
export function fixReason(found: Found, scene: Scene): SafeText | undefined {
  const fixes = fixesOf(found);
  if (fixes.length === 0) return say`no action ends this; its advice says what to do`;
  return cannotOperateReason(scene) ?? reasonAgainstAll(candidatesOf(fixes, scene));
}

export function askAboutFix(found: Found, scene: Scene): CommandResult {
  return askAboutEnding(candidatesOf(fixesOf(found), scene), scene);
}
