import * as z from 'zod';
import {epochMs, momentOf} from '../domain/time.ts';
import {SEVERITIES} from '../domain/triage/finding.ts';
import type {Mute} from '../domain/triage/mute.ts';

const moment = z
  .number()
  .refine(value => momentOf(value) !== undefined)
  .transform(epochMs);
const common = {at: moment, organizationId: z.int().positive().optional()};
const finding = {...common, finding: z.string().max(500), severity: z.enum(SEVERITIES)};
const muteSchema = z
  .discriminatedUnion('kind', [
    z.object({kind: z.literal('acknowledged'), ...finding}),
    z.object({kind: z.literal('snoozed'), until: moment, ...finding}),
    z.object({
      kind: z.literal('kept'),
      until: moment,
      resourceType: z.enum(['vm', 'volume', 'cluster', 'floating-ip']),
      resourceId: z.int().positive(),
      ...common,
    }),
  ])
  .transform(({organizationId, ...mute}): Mute => (organizationId === undefined ? mute : {...mute, organizationId}));
const fileSchema = z.object({mutes: z.array(z.unknown())});

/** The content of the file; `unknown` are entries of a later version, as they were read. */
export type MutesContent = {readonly mutes: readonly Mute[]; readonly unknown: readonly unknown[]};

/** Throws if it is not such a file. */
export function parseMutes(text: string): MutesContent {
  const entries = fileSchema
    .parse(JSON.parse(text))
    .mutes.map(entry => ({entry, mute: muteSchema.safeParse(entry).data}));
  return {
    mutes: entries.flatMap(({mute}) => mute ?? []),
    unknown: entries.flatMap(({entry, mute}) => (mute === undefined ? [entry] : [])),
  };
}

export function mutesText({mutes, unknown}: MutesContent): string {
  return `${JSON.stringify({mutes: [...mutes, ...unknown]}, undefined, 1)}\n`;
}
