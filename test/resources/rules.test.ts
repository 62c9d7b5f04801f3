import {expect, it} from 'vitest';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {firewalls} from '../../src/resources/firewalls.ts';
import {ruleRows, rules} from '../../src/resources/rules.ts';
import {textOf} from '../../src/ui/text.ts';
import {THEME} from '../app/a-scene.ts';
import {aRule, NOW} from '../panes/a-known-scene.ts';

it('a rule of a firewall that is attached to nothing opens nothing now, and is not marked as exposed', () => {
  const exposed = firewalls.columns.find(({key}) => key === 'exposed')?.list?.draw;
  const countOf = (attachments: readonly ReturnType<typeof attachment>[]) => {
    const firewall = {
      id: firewallId(5),
      name: safeText('edge'),
      status: 'SUCCESS' as const,
      statusText: safeText('SUCCESS'),
      rules: own,
      attachments,
    };
    return textOf(exposed?.({firewall, openCount: 1, exposedCount: 1, now: NOW}, 7, THEME) ?? []);
  };
  const draw = rules.columns.find(({key}) => key === 'exposed')?.list?.draw;
  const riskOf = (owner: Parameters<typeof ruleRows>[0]) =>
    ruleRows(owner, {now: NOW}).map(row => textOf(draw?.(row, 13, THEME) ?? []));
  const own = [aRule()];
  const attachment = (status: string) => ({
    machineId: virtualMachineId(7),
    machineName: safeText('gpu-7'),
    status: safeText(status),
  });
  expect(countOf([attachment('SUCCESS')])).toBe(`${THEME.glyphs.warning}1`);
  expect(countOf([])).toBe('1');
  expect(riskOf({rules: own})).toEqual([`${THEME.glyphs.warning} exposed`]);
  expect(riskOf({rules: own, attachments: [attachment('SUCCESS')]})).toEqual([`${THEME.glyphs.warning} exposed`]);
  expect(riskOf({rules: own, attachments: [], hasUnreadAttachments: true})).toEqual([
    `${THEME.glyphs.warning} exposed`,
  ]);
  expect(riskOf({rules: own, attachments: []})).toEqual(['if attached']);
  expect(riskOf({rules: own, attachments: [attachment('DETACHED')]})).toEqual(['if attached']);
});
