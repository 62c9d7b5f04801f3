import {statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp, openHome} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {isDeep} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};
const SEEN = /last seen \d+s ago/;

test(
  'shows at once what was last seen, but to nobody with another key, and with its age and the reason while nothing answers',
  PATIENT,
  async () => {
    const home = openHome();
    const simulator = await openSmallCloud();
    const first = await openApp({simulator, home});
    await first.sees('machines 16');
    // The machines are shown as soon as they are read, but the screen is kept only once its account is known.
    await first.seesNot('account unknown');
    expect(first.text()).not.toMatch(SEEN);
    await first.press('q');
    await first.exited;

    // The file itself is not given to another key: config/last-screen.test.ts.
    if (isDeep) {
      const other = await openApp({simulator, home, env: {SKYDECK_API_KEY: 'another-key-of-the-same-person'}});
      await other.sees('[1 Overview]');
      await other.sees('not authorised');
      expect(other.text()).not.toMatch(SEEN);
      expect(other.raw()).not.toMatch(SEEN);
      await other.press('q');
      await other.exited;
    }

    await simulator.close();
    // Nothing answers any more: what stands there can only be what was kept.
    const second = await openApp({simulator, home});
    await second.sees(SEEN);
    expect(statSync(join(home.path, 'state', 'skydeck', 'last-screen')).mode & 0o777).toBe(0o700);
    await second.sees(/no answer yet: (?!waiting)/, {withinMs: 20_000});
    const ageOf = () => Number(/last seen (\d+)s ago/.exec(second.text())?.[1]);
    const age = ageOf();
    await second.becomes('to show a growing age', () => ageOf() >= age + 2);
    expect(second.text()).toContain('machines 16');
    // The titles of its boxes give no age of their own.
    expect(second.text()).not.toMatch(/ \d+s ─╮/);
    // The deck behind it knows no machine, so there is nothing that an action could be about.
    await second.press('2');
    await second.seesNot(SEEN);
    expect(second.text()).not.toContain('train-01');
  },
);

test('gives the terminal back before it tells a mistake that shows only after the first frame', PATIENT, async () => {
  const app = await openApp({embedded: true, arguments: ['--log', 'no-such-folder/requests.txt']});
  await app.sees('skydeck: --log no-such-folder/requests.txt');
  expect(await app.exited).toMatchObject({exitCode: 2});
  expect(app.isAltScreen()).toBe(false);
});
