import {describe, expect, it} from 'vitest';
import type {Form, FormCheck} from '../../../src/actions/forms/form.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {imagesFeed, stocksFeed} from '../../../src/state/catalogue.ts';
import {environmentsFeed, quotaFeed} from '../../../src/state/environments.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {adjustedForm, chooseWord, type FormState, formValues, openForm, toField} from '../../../src/ui/form.ts';
import type {FormValues} from '../../../src/ui/form-field.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aScene, isQuestionVisible} from '../../app/a-scene.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {aCatalogue, anImage, aVolume, CANADA, factText, NORWAY, write} from '../../panes/a-catalogue.ts';
import {IDLE} from '../../panes/a-known-scene.ts';
import {creationForm} from '../../panes/a-read-scene.ts';

const READ_AT = monotonicMs(100_000);
const FILLED: FormValues = {
  name: 'gpu-9',
  count: '3',
  environment: 'prod-no',
  flavor: 'n3-L40x2',
  image: 'Ubuntu CUDA',
  keyPair: 'ana',
  publicIp: 'yes',
  sshFrom: '198.51.100.0/24',
  labels: 'prod, web,prod',
  callback: '',
  volume: 'none',
};

function checked(values: FormValues, {scene} = aCatalogue()): FormCheck {
  return creationForm('vm', scene).check({...FILLED, ...values});
}

function choices(form: Form, key: string, values: FormValues = {}): readonly string[] | undefined {
  return (form.fieldsFor?.(values) ?? form.fields).find(field => field.key === key)?.choices;
}

describe('the form of a new machine', () => {
  it('begins in the environment it was opened for, with choices from its region only', () => {
    const form = creationForm('vm', aCatalogue().scene, aVirtualMachine({environmentName: CANADA.name}));
    const opened = adjustedForm(openForm(form.fields), form.fieldsFor);
    expect(formValues(opened)).toMatchObject({
      environment: 'prod-ca',
      flavor: 'n3-H100x8',
      image: 'Far away',
      keyPair: 'bo',
    });
    expect(choices(form, 'environment')).toEqual([NORWAY.name, CANADA.name]);
  });

  it('begins there even if the environments are read only after it was opened', () => {
    const known = {store: createStore()};
    const form = creationForm(
      'vm',
      aScene({...known, operations: IDLE}),
      aVirtualMachine({environmentName: CANADA.name}),
    );
    const opened = adjustedForm(openForm(form.fields), form.fieldsFor);
    expect(formValues(opened).environment).toBe('');
    expect(form.check(formValues(opened)).mistakes.environment).toBe('reading the environments…');
    known.store.writeFailure(environmentsFeed, {kind: 'cut', detail: safeText('reset')}, monotonicMs(1));
    expect(form.check(formValues(opened)).mistakes.environment).toMatch(/^environments unknown: .*reset/);
    write(known, environmentsFeed, [NORWAY, CANADA]);
    expect(formValues(adjustedForm(opened, form.fieldsFor)).environment).toBe('prod-ca');
  });

  it('offers the flavors by price, those without a price last, and images that run on the flavor', () => {
    const form = creationForm('vm', aCatalogue().scene);
    const inNorway = {environment: 'prod-no'};
    // $0.65 for the whole machine, 2 × $1.00, and no price.
    expect(choices(form, 'flavor', inNorway)).toEqual(['n1-cpu-medium', 'n3-L40x2', 'n9-odd']);
    expect(choices(form, 'image', {...inNorway, flavor: 'n3-L40x2'})).toEqual(['Ubuntu 24.04', 'Ubuntu CUDA']);
    expect(choices(form, 'image', {...inNorway, flavor: 'n1-cpu-medium'})).toEqual(['Ubuntu 24.04']);
    expect(choices(form, 'keyPair', inNorway)).toEqual(['ana']);
  });

  it('selects the newest image with CUDA for a flavor with GPUs, until a person has chosen one', () => {
    const known = aCatalogue();
    const [plain, old, newest] = ['Ubuntu 24.04', 'Ubuntu 24.04 R570 CUDA 12.8', 'Ubuntu 24.04 R570 CUDA 12.10'];
    write(known, imagesFeed, [
      anImage(1, plain),
      anImage(2, newest),
      anImage(3, old),
      anImage(4, 'Ubuntu 26.04 CUDA 14', {regionName: CANADA.regionName ?? safeText('')}),
      anImage(5, 'Zebra CUDA of our own', {isPublic: false}),
    ]);
    const form = creationForm('vm', known.scene, aVirtualMachine({environmentName: NORWAY.name}));
    const choose = (state: FormState, key: string, choice: string) =>
      adjustedForm(chooseWord(toField(state, key), choice), form.fieldsFor);
    const opened = adjustedForm(openForm(form.fields), form.fieldsFor);
    const withGpus = choose(opened, 'flavor', 'n3-L40x2');
    const chosen = choose(withGpus, 'image', old);
    const images = [opened, withGpus, choose(withGpus, 'flavor', 'n1-cpu-medium'), chosen].map(
      state => formValues(state).image,
    );
    expect(images).toEqual([plain, newest, plain, old]);
    expect(formValues(choose(chosen, 'flavor', 'n9-odd')).image).toBe(old);
    expect(formValues(choose(choose(withGpus, 'image', plain), 'flavor', 'n9-odd')).image).toBe(plain);
  });

  it('offers the unattached volumes of the environment that have unique names', () => {
    const known = aCatalogue();
    write(known, volumesFeed, [
      aVolume({name: safeText('data')}),
      aVolume({id: 2, name: safeText('twice')}),
      aVolume({id: 3, name: safeText('twice')}),
      aVolume({id: 4, name: safeText('busy'), status: 'IN_USE'}),
      aVolume({id: 5, name: safeText('far'), environmentName: CANADA.name}),
    ]);
    expect(choices(creationForm('vm', known.scene), 'volume', {environment: 'prod-no'})).toEqual(['none', 'data']);
  });

  it('reads the quota of the chosen environment while it is open', () => {
    const form = creationForm('vm', aCatalogue().scene);
    expect(form.wants?.({environment: 'prod-ca'}, undefined).map(({feed}) => feed.key)).toContain(
      quotaFeed(CANADA.id).key,
    );
  });

  it.each<[string, FormValues, string]>([
    ['no name', {name: ' '}, 'name'],
    ['a name of fifty-one characters', {name: 'x'.repeat(51), count: '1'}, 'name'],
    ['a name that leaves no room for a number', {name: 'x'.repeat(49)}, 'name'],
    ['no machines', {count: '0'}, 'count'],
    ['half a machine', {count: '1.5'}, 'count'],
    ['no image', {image: ''}, 'image'],
    ['no key pair', {keyPair: ''}, 'keyPair'],
    ['an invalid network', {sshFrom: '198.51.100'}, 'sshFrom'],
    ['a callback that is not an address', {callback: 'example'}, 'callback'],
    ['a callback of 251 characters', {callback: `https://x/${'y'.repeat(241)}`}, 'callback'],
    ['a volume for several machines', {volume: 'data'}, 'volume'],
  ])('rejects %s', (_, values, field) => {
    const {mistakes, question} = checked(values);
    expect(Object.keys(mistakes)).toEqual([field]);
    expect(question).toBeUndefined();
  });

  it('rejects a name that is taken, and more machines than the environment has room for', () => {
    const known = aCatalogue();
    known.store.writeValue(machinesFeed, aListing([aVirtualMachine({name: safeText('gpu-9')})]), READ_AT);
    known.store.writeValue(quotaFeed(NORWAY.id), {currentCount: 248, maxCount: 250, availableCount: 2}, READ_AT);
    expect(checked({}, known).mistakes).toEqual({
      name: 'this name is already taken',
      count: 'the environment has room for 2 more',
    });
  });

  it('shows the cost of all machines, with their addresses', () => {
    // 3 × (2 × $1.00 + $0.00672043) = $6.02016129 an hour, × 730 = $4,394.7177417.
    expect(checked({}).notes.map(textOf)[0]).toBe('$6.02/h  $4,394.72 for 730 h  all 3, at the published price');
    // One alone without an address: $2.00, × 730 = $1,460.
    expect(checked({count: '1', publicIp: 'no'}).notes.map(textOf)[0]).toBe(
      '$2.00/h  $1,460.00 for 730 h  at the published price',
    );
    expect(checked({flavor: 'n9-odd'}).notes.map(textOf)[0]).toMatch(/is unknown/);
  });

  it('warns when the stock is too small', () => {
    const known = aCatalogue();
    write(known, stocksFeed, [
      {
        regionName: NORWAY.regionName ?? safeText(''),
        model: safeText('L40'),
        configurations: [{gpuCount: 2, available: {count: 2, isAtLeast: false}}],
      },
    ]);
    expect(factText(checked({}, known).question, 'Warnings')).toContain('2 machines with 2 GPU free, 3 asked for');
    expect(factText(checked({count: '2'}, known).question, 'Right now')).toContain(
      'Stock: 2 machines of this size free',
    );
  });
});

describe('the question about a new machine', () => {
  it('sends exactly what was filled in', () => {
    expect(checked({}).question?.steps).toEqual([
      {
        action: {
          kind: 'vm.create',
          spec: {
            name: 'gpu-9',
            environmentName: 'prod-no',
            flavorName: 'n3-L40x2',
            imageName: 'Ubuntu CUDA',
            keyPairName: 'ana',
            count: 3,
            assignsFloatingIp: true,
            labels: ['prod', 'web'],
            rules: [
              {
                direction: 'ingress',
                protocol: 'tcp',
                etherType: 'IPv4',
                remoteIpPrefix: '198.51.100.0/24',
                portRangeMin: 22,
                portRangeMax: 22,
              },
            ],
          },
        },
        subjectName: 'gpu-9',
        // Two L40 and an address each.
        facts: {
          cost: {words: '$6.02/h afterwards', rates: expect.any(Array)},
          others: new Map([
            ['environment prod-no', '#11 in NORWAY-1'],
            ['flavor n3-L40x2', '8 cores, 64 GB, 2 × L40'],
            ['the fingerprint of key pair ana', undefined],
            ['the public key of key pair ana', undefined],
            ['image "Ubuntu CUDA"', '#2'],
          ]),
        },
      },
    ]);
  });

  it('leaves out fields that were left empty', () => {
    const {question} = checked({count: '1', publicIp: 'no', sshFrom: '', labels: ' , '});
    expect(question?.steps[0].action).toMatchObject({spec: {count: 1, assignsFloatingIp: false}});
    const [step] = question?.steps ?? [];
    expect(Object.keys(step !== undefined && 'spec' in step.action ? step.action.spec : {})).not.toContain('labels');
    expect(factText(question, 'Calls')).toContain('1: POST /core/virtual-machines');
    expect(question?.answer).toEqual({kind: 'key'});
  });

  it.each<[string, FormValues, boolean, boolean]>([
    ['GPUs, an image with CUDA and a rule', {publicIp: 'no'}, false, false],
    ['GPUs and an image without CUDA', {image: 'Ubuntu 24.04'}, true, false],
    ['no GPUs and an image without CUDA', {flavor: 'n1-cpu-medium', image: 'Ubuntu 24.04'}, false, false],
    ['neither address nor rule', {publicIp: 'no', sshFrom: ''}, false, true],
    ['an address and no rule', {sshFrom: ''}, false, false],
  ])('warns of missing drivers and of a machine reachable only from inside: %s', (_what, values, drivers, inside) => {
    const warnings = factText(checked(values).question, 'Warnings');
    expect(warnings.includes('The image names no CUDA: the GPUs may need drivers first.')).toBe(drivers);
    expect(warnings.includes('No public address and no rule: you reach it only from inside.')).toBe(inside);
  });

  it('warns of ssh that is open to the internet', () => {
    const open = checked({sshFrom: '0.0.0.0/0'}).question;
    expect(factText(open, 'Warnings')).toContain('Open to the internet: ingress tcp/22 0.0.0.0/0.');
    expect(factText(checked({}).question, 'Warnings')).not.toContain('Open to the internet');
  });

  it('fits a terminal of 80 by 24 with a name of fifty wide characters', () => {
    const {scene} = aCatalogue();
    const {question} = checked({name: '機'.repeat(50), count: '1', sshFrom: '0.0.0.0/0'});
    expect(question).toBeDefined();
    if (question !== undefined) expect(isQuestionVisible(question, {columns: 80, rows: 24}, scene)).toBe(true);
  });
});
