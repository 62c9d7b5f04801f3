import {expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {ruleRows, rules} from '../../src/resources/rules.ts';
import {textOf} from '../../src/ui/text.ts';
import {THEME} from '../app/a-scene.ts';
import {aRule, NOW} from '../panes/a-known-scene.ts';

it('a rule of a firewall that is attached to nothing opens nothing now, and is not marked as exposed', () => {
  const draw = rules.columns.find(({key}) => key === 'exposed')?.list?.draw;
  const riskOf = (owner: Parameters<typeof ruleRows>[0]) =>
    ruleRows(owner, {now: NOW}).map(row => textOf(draw?.(row, 13, THEME) ?? []));
  const own = [aRule()];
  const attachment = (status: string) => ({
    machineId: virtualMachineId(7),
    machineName: safeText('gpu-7'),
    status: safeText(status),
  });
  expect(riskOf({rules: own})).toEqual([`${THEME.glyphs.warning} exposed`]);
  expect(riskOf({rules: own, attachments: [attachment('SUCCESS')]})).toEqual([`${THEME.glyphs.warning} exposed`]);
  expect(riskOf({rules: own, attachments: [], hasUnreadAttachments: true})).toEqual([
    `${THEME.glyphs.warning} exposed`,
  ]);
  expect(riskOf({rules: own, attachments: []})).toEqual(['if attached']);
  expect(riskOf({rules: own, attachments: [attachment('DETACHED')]})).toEqual(['if attached']);
});
