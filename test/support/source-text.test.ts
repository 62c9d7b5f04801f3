import {describe, expect, test} from 'vitest';
import {codeOnly, importsOf, resolved} from './source-text.ts';

describe('codeOnly', () => {
  test.each([
    ['a line comment', 'a(); // b()\nc();', 'a();       \nc();'],
    ['a block comment', 'a /* b\n c */ d', 'a     \n      d'],
    ['a string', `a('b // c');`, `a('      ');`],
    ['an escaped quote', String.raw`a('b\'c', d)`, `a('    ', d)`],
    ['a comment sign in a string', `a("/*"); b("*/");`, `a("  "); b("  ");`],
    ['a template', `a(\`b \${c(\`d\`)} e\`, f)`, `a(\`  \${c(\` \`)}  \`, f)`],
    ['an object in a template', `a(\`b \${ {c: {d}} } e\`)`, `a(\`  \${ {c: {d}} }  \`)`],
    ['a regular expression', 'a(/[/"] \'/g, "b")', 'a(         , " ")'],
    ['a division', 'a / b / c', 'a / b / c'],
    ['an apostrophe in a tag', `<Text>don't</Text>\nb('c')`, `<Text>don't</Text>\nb(' ')`],
    ['a closed tag', '<Box a={1} />; b(1); <Box />', '<Box a={1} />; b(1); <Box />'],
  ])('keeps positions around %s', (_, text, expected) => {
    expect(codeOnly(text)).toBe(expected);
  });
});

describe('importsOf', () => {
  test.each([
    [`import {a} from './a.ts';`, [['./a.ts', 'static']]],
    [`import type {A} from './a.ts';`, [['./a.ts', 'type']]],
    [`import {type A, b} from "./a.ts";`, [['./a.ts', 'static']]],
    [`import * as z from 'zod';`, [['zod', 'static']]],
    [`import './effect.ts';`, [['./effect.ts', 'static']]],
    [
      `import {\n  a,\n  b,\n} from './a.ts';\nimport c from 'c';`,
      [
        ['./a.ts', 'static'],
        ['c', 'static'],
      ],
    ],
    [`const {a} = await import('./a.ts');`, [['./a.ts', 'on-demand']]],
    [`type A = typeof import('./a.ts');`, [['./a.ts', 'type']]],
    [`type A = import('./a.ts').A;`, [['./a.ts', 'type']]],
    ['const a = await import(path);', [[undefined, 'on-demand']]],
    [`const a = await import(\`./\${path}.ts\`);`, [[undefined, 'on-demand']]],
    [`// import {a} from './a.ts';\nconst text = "import {b} from './b.ts'";`, []],
    [`const url = import.meta.url; call('x');`, []],
    [`lists.import('./a.ts');`, []],
  ])('reads %s', (text, expected) => {
    expect(importsOf({path: 'src/x.ts', text}).map(({specifier, kind}) => [specifier, kind])).toEqual(expected);
  });

  test('reports the line', () => {
    const text = `// Why.\nimport {a} from 'a';\n\nconst b = () => import('b');\n`;
    expect(importsOf({path: 'src/x.ts', text}).map(({line}) => line)).toEqual([2, 4]);
  });
});

test.each([
  ['src/state/store.ts', '../domain/time.ts', 'src/domain/time.ts'],
  ['src/panes/machines/rows.ts', './row.ts', 'src/panes/machines/row.ts'],
  ['src/program.tsx', './cli/commands/get.ts', 'src/cli/commands/get.ts'],
  ['src/program.tsx', 'react', undefined],
])('resolves, in %s, the import %s', (from, specifier, expected) => {
  expect(resolved(from, specifier)).toBe(expected);
});
