import {describe, expect, it} from 'vitest';
import {subjectOf} from '../../src/domain/act.ts';
import {confirmationOf, type Shown} from '../../src/domain/confirmation.ts';
import {type ActCase, EVERY_ACT, EVERY_CASE, type World} from './act-rules/every-act.ts';
import {aMachine} from './act-rules/some-things.ts';

function shown({confirmed: {act}}: ActCase, world: World): Shown {
  const [thing] = world[subjectOf(act).type] ?? [];
  return {thing, firewalls: world.firewall};
}

describe('confirmationOf', () => {
  it.each(EVERY_CASE)('%s holds the name, and the set that would be replaced, as they are shown', (_kind, each) => {
    const {status: _shown, ...rest} = confirmationOf(each.confirmed.act, shown(each, each.start));
    const {status: _expected, ...expected} = each.confirmed;
    const isSetOfLabels = each.confirmed.act.kind === 'vm.set-labels';
    expect(rest).toEqual(isSetOfLabels ? {...expected, replaced: ['dev']} : expected);
  });

  it('holds the state where the thing has one', () => {
    const {confirmed} = EVERY_ACT['vm.stop'];
    expect(confirmationOf(confirmed.act, {thing: aMachine({status: 'ERROR'})}).status).toBe('ERROR');
    const keyPair = EVERY_ACT['key-pair.delete'];
    expect(confirmationOf(keyPair.confirmed.act, shown(keyPair, keyPair.start))).not.toHaveProperty('status');
  });
});
