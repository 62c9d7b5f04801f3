import {expect, test} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import type {Form} from '../../../src/actions/forms/form.ts';
import {addRuleForm, editRuleForm} from '../../../src/actions/forms/rule-form.ts';
import {setCallback} from '../../../src/actions/machines/callback.ts';
import {setFirewalls} from '../../../src/actions/machines/firewalls.ts';
import {setLabels} from '../../../src/actions/machines/labels.ts';
import {resizeMachine} from '../../../src/actions/machines/resize.ts';
import {attachVolumesTo, detachVolumesFrom} from '../../../src/actions/machines/volumes.ts';
import {aRule} from '../../panes/a-known-scene.ts';
import {formOf} from '../machines/form-of.ts';
import {partActions} from '../../../src/panes/action-keys.ts';
import type {CommandResult} from '../../../src/panes/command.ts';
import type {CloudResource, ResourceType} from '../../../src/domain/cloud-resource.ts';
import {formLines, noteCells, openForm} from '../../../src/ui/form.ts';
import {textOf, widthOf} from '../../../src/ui/text.ts';
import {THEME} from '../../app/a-scene.ts';
import {aCatalogue, NORWAY, write} from '../../panes/a-catalogue.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {accessKey, aCluster, aFirewall, aMachine, aVolume, bucket, keyPair} from '../some-things.ts';

/** A form is as wide as the terminal; its edges and margins take four cells. */
const CELLS = 80 - 4;

const MACHINE = aMachine({environmentName: NORWAY.name});

const SUBJECTS: readonly (readonly [ResourceType, CloudResource])[] = [
  ['vm', MACHINE],
  ['firewall', aFirewall({environmentName: NORWAY.name})],
  ['cluster', aCluster()],
  ['volume', aVolume({environmentName: NORWAY.name})],
  ['key-pair', keyPair],
  ['environment', NORWAY],
  ['access-key', accessKey],
  ['bucket', bucket],
];

function isForm(outcome: CommandResult | undefined): outcome is CommandResult & {readonly form: Form} {
  return outcome?.kind === 'form';
}

/** Every form of the deck, once. */
function everyForm(): readonly Form[] {
  const {scene, store} = aCatalogue();
  write({store}, firewallsFeed, [aFirewall({environmentName: NORWAY.name})]);
  write({store}, volumesFeed, [aVolume({environmentName: NORWAY.name})]);
  const listed = SUBJECTS.flatMap(([type, subject]) => {
    const {create, commands = []} = partActions<CloudResource>(type, each => each);
    return [create?.run(scene, undefined, subject), ...commands.map(command => command.run(subject, scene))]
      .filter(isForm)
      .map(({form}) => form);
  });
  return [
    ...listed,
    formOf(setLabels)(MACHINE, scene),
    formOf(setCallback)(MACHINE, scene),
    formOf(setFirewalls)(MACHINE, scene),
    formOf(attachVolumesTo)(MACHINE, scene),
    formOf(detachVolumesFrom)(MACHINE, scene),
    formOf(resizeMachine)(MACHINE, scene),
    addRuleForm(aFirewall(), scene),
    editRuleForm(aFirewall(), aRule(), scene),
  ];
}

test('every hint of every form is whole at 80 columns', () => {
  const forms = everyForm();
  // One for each action that has a form, in some list or menu.
  const formCount = [...ACTIONS.values()].filter(
    ({keys, creation}) => creation !== undefined || keys?.some(({form}) => form !== undefined),
  ).length;
  expect(forms.length).toBeGreaterThanOrEqual(formCount);
  for (const {title, fields} of forms) {
    const lines = formLines(openForm(fields), {mistakes: {}, width: CELLS, glyphs: THEME.glyphs});
    for (const [index, {key, hint = ''}] of fields.entries()) {
      const line = lines[index] ?? [];
      expect(widthOf(textOf(line)), `${title}: ${key}`).toBeLessThanOrEqual(CELLS);
      // What a flavor costs comes first, and its size only where there is room.
      if (!key.startsWith('flavor'))
        expect(widthOf(hint), `${title}: ${key}: ${hint}`).toBeLessThanOrEqual(noteCells(CELLS));
    }
  }
});
