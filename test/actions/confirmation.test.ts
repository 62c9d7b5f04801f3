import {describe, expect, it} from 'vitest';
import {confirmationOf, type ShownSubject} from '../../src/actions/actions.ts';
import {subjectOf} from '../../src/domain/action.ts';
import {epochMs} from '../../src/domain/time.ts';
import {type ActionCase, EVERY_ACTION, EVERY_CASE, type World} from './every-action.ts';
import {aMachine, bucket} from './some-things.ts';

function shown({confirmed: {action}}: ActionCase, world: World): ShownSubject {
  const [subject] = world[subjectOf(action).type] ?? [];
  return {subject, firewalls: world.firewall};
}

describe('confirmationOf', () => {
  it.each(EVERY_CASE)('%s carries the name, and the set that it would replace, as shown', (_kind, each) => {
    const {status: _shown, facts: _facts, ...rest} = confirmationOf(each.confirmed.action, shown(each, each.start));
    const {status: _expected, ...expected} = each.confirmed;
    const isSetOfLabels = each.confirmed.action.kind === 'vm.set-labels';
    expect(rest).toEqual(isSetOfLabels ? {...expected, replaced: ['dev']} : expected);
  });

  it('carries what the question says of sizes and prices', () => {
    const {confirmed} = EVERY_ACTION['bucket.delete'];
    const subject = {...bucket, objectCount: 3, sizeBytes: 4096, createdAt: epochMs(1000)};
    expect(confirmationOf(confirmed.action, {subject}).facts).toEqual({
      objectCount: 3,
      sizeBytes: 4096,
      createdAt: 1000,
    });
  });

  it('carries the status if the resource has one', () => {
    const {confirmed} = EVERY_ACTION['vm.stop'];
    expect(confirmationOf(confirmed.action, {subject: aMachine({status: 'ERROR'})}).status).toBe('ERROR');
    const keyPair = EVERY_ACTION['key-pair.delete'];
    expect(confirmationOf(keyPair.confirmed.action, shown(keyPair, keyPair.start))).not.toHaveProperty('status');
  });
});
