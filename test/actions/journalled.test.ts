import {describe, expect, it} from 'vitest';
import {ACTIONS, recordOf} from '../../src/actions/actions.ts';
import type {Action} from '../../src/domain/action.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {EVERY_CASE} from './every-action.ts';

const text = safeText;

function journalled(action: Action): object {
  return recordOf(action).withoutSecrets(action);
}

function holdsSecret(action: Action): boolean {
  return journalled(action) !== action;
}

function readBack(action: Action): unknown {
  return recordOf(action).parse(JSON.parse(JSON.stringify(journalled(action))));
}

describe('an action in the journal', () => {
  const OPEN = EVERY_CASE.filter(([, {confirmed}]) => !holdsSecret(confirmed.action));

  it.each(OPEN)('%s is read back as it was written', (_kind, {confirmed}) => {
    expect(readBack(confirmed.action)).toEqual(confirmed.action);
  });

  it.each(EVERY_CASE)('%s contains no secret', (kind, {confirmed}) => {
    expect(JSON.stringify(journalled(confirmed.action))).not.toContain('CANARY');
    expect(readBack(confirmed.action)).toMatchObject({kind});
  });

  it('records where a callback leads, and that there was a start-up script', () => {
    const spec = {
      name: text('gpu-7'),
      environmentName: text('prod'),
      flavorName: text('n3-L40x1'),
      keyPairName: text('laptop'),
      count: 1,
      labels: [text('a')],
      userData: secret('#!/bin/sh\nexport TOKEN=0123456789abcdef'),
      callbackUrl: text('https://user:password@hooks.example/services/T0'),
    };
    expect(journalled({kind: 'vm.create', spec})).toMatchObject({
      spec: {userData: '[not recorded]', callbackUrl: expect.stringMatching(/^hooks\.example\/…[0-9a-f]{8}$/)},
    });
    const {userData: _script, ...rest} = spec;
    expect(readBack({kind: 'vm.create', spec})).toEqual({
      kind: 'vm.create',
      spec: {...rest, callbackUrl: expect.stringMatching(/^hooks\.example\/…[0-9a-f]{8}$/)},
    });
  });

  it('is made safe to show when it was tampered with', () => {
    const action = {kind: 'vm.set-labels', id: 7, labels: ['a\u001b[2J']};
    expect(ACTIONS.get(action.kind)?.parse(action)).toMatchObject({labels: ['a␛[2J']});
  });

  it.each([
    {kind: 'vm.explode', id: 7},
    {kind: 'vm.delete', id: -1},
    {kind: 'vm.delete', id: 7.5},
    {kind: 'vm.delete'},
    {kind: 'vm.create', spec: {name: 'a', count: 0}},
    {kind: 'vm.set-firewalls', id: 7, firewallIds: ['1']},
    {kind: 'bucket.delete', name: 'a'},
  ])('is not read when it is invalid: %j', action => {
    expect(ACTIONS.get(action.kind)?.parse(action)).toBeUndefined();
  });
});

describe('holdsSecret', () => {
  it('is true for actions with a script or a callback address', () => {
    const id = virtualMachineId(7);
    expect(holdsSecret({kind: 'vm.set-callback', id, url: text('https://a.example'), isUpdate: false})).toBe(true);
    expect(holdsSecret({kind: 'vm.remove-callback', id})).toBe(false);
    expect(EVERY_CASE.filter(([, {confirmed}]) => holdsSecret(confirmed.action)).map(([kind]) => kind)).toEqual([
      'vm.create',
      'vm.set-callback',
      'volume.create',
    ]);
  });
});
