import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, it} from 'vitest';
import {Alerts} from '../../src/app/alerts.ts';
import type {AlertPreferences} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {MINUTE_MS, monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import type {Finding, Severity} from '../../src/domain/triage/finding.ts';

const ALL: AlertPreferences = {bell: true, notification: 'osc9', command: ['page-me', '--now']};

function aFinding(id: number, severity: Severity = 'critical'): Finding {
  return {
    rule: 'open-to-world',
    severity,
    subject: {type: 'vm', id, name: safeText(`gpu-${id}`)},
    summary: safeText('any open to the world'),
    evidence: [],
    advice: safeText(''),
    commands: [],
  };
}

function open(preferences: AlertPreferences) {
  const asked: string[] = [];
  const told: string[] = [];
  const ends: ((trouble?: string) => void)[] = [];
  const alerts = new Alerts(
    preferences,
    {
      ring: () => asked.push('bell'),
      notify: (text, style) => asked.push(`${style} ${text}`),
      run: (words, input) => {
        const {subject, severity} = JSON.parse(input);
        asked.push(`${words.join(' ')} < ${severity} ${subject.name}`);
        return new Promise(resolve => ends.push(resolve));
      },
    },
    trouble => told.push(trouble),
  );
  const check = (findings: readonly Finding[], at = 0, isWhole = true) =>
    alerts.check(findings, {isWhole, now: monotonicMs(at)});
  return {alerts, check, asked, told, ends};
}

describe('a new critical finding', () => {
  it('rings the bell, is shown by the terminal, and goes to the command', () => {
    const {check, asked} = open(ALL);
    check([aFinding(1)]);
    check([aFinding(1), aFinding(2), aFinding(3, 'warning')]);
    expect(asked).toEqual(['bell', 'osc9 skydeck: gpu-2: any open to the world', 'page-me --now < critical gpu-2']);
  });

  it('rings once while it lasts, and again after it was gone for five minutes', () => {
    const {check, asked} = open({...ALL, notification: 'off', command: []});
    check([]);
    for (const second of [1, 2, 3]) check([aFinding(1)], second * SECOND_MS);
    check([], 4 * SECOND_MS);
    check([aFinding(1)], 5 * SECOND_MS);
    expect(asked).toEqual(['bell']);
    check([], 5 * SECOND_MS + 5 * MINUTE_MS);
    check([aFinding(1)], 6 * SECOND_MS + 5 * MINUTE_MS);
    expect(asked).toEqual(['bell', 'bell']);
  });

  it('that is in the first complete reading does not ring, whatever was read before', () => {
    const {check, asked} = open(ALL);
    check([], 0, false);
    check([aFinding(1)], 1, false);
    check([aFinding(1), aFinding(2)], 2, true);
    expect(asked).toEqual([]);
  });

  it('goes to one run of the command at a time, and a failed run is reported', async () => {
    const {check, asked, told, ends} = open({...ALL, bell: false, notification: 'off'});
    check([]);
    check([aFinding(1), aFinding(2)]);
    expect(asked).toEqual(['page-me --now < critical gpu-1']);
    ends[0]?.('ended with 3');
    await turn();
    expect(asked).toEqual(['page-me --now < critical gpu-1', 'page-me --now < critical gpu-2']);
    expect(told).toEqual(['alert command: ended with 3']);
  });
});

it('is off when nothing is set', () => {
  expect(open({bell: false, notification: 'off', command: []}).alerts.isOn).toBe(false);
  expect(open({bell: true, notification: 'off', command: []}).alerts.isOn).toBe(true);
});
