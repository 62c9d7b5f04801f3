import {inspect} from 'node:util';
import {describe, expect, it} from 'vitest';
import {isHidden, withoutSecrets} from '../../src/api/hidden-fields.ts';

const CANARY = 'CANARY-0123456789';

describe('withoutSecrets', () => {
  const [record] = withoutSecrets([{id: 1, kube_config: CANARY, name: 'a'}], 'kube_config') ?? [];

  it.each<[string, (value: unknown) => string]>([
    ['serialised', value => JSON.stringify(value)],
    ['inspected', value => inspect(value)],
    ['put into words', value => Object.values(Object(value)).join(' ')],
  ])('leaves a mark when the record is %s', (_, shown) => {
    expect(shown(record)).toContain('[redacted]');
    expect(shown(record)).not.toContain(CANARY);
  });

  it('gives the value to a caller that asks for it', () => {
    const value: unknown = Object(record).kube_config;
    expect(isHidden(value) && value.reveal()).toBe(CANARY);
    expect(isHidden({reveal: () => CANARY})).toBe(false);
  });

  it('changes neither absent fields nor what is not a record', () => {
    const records = [{id: 1, kube_config: null}, {id: 2, kube_config: ''}, {id: 3}, 'text', null];
    expect(withoutSecrets(records, 'kube_config')).toEqual(records);
    expect(withoutSecrets(undefined, 'kube_config')).toBeUndefined();
  });
});
