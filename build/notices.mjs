import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

const HEAD = `skydeck contains parts of the packages below. Each stands under the licence that follows its name.\n`;
const RULE = `\n${'-'.repeat(80)}\n\n`;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i;
/** The folder of the package that a file belongs to, also of one inside another. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The licences of all packages that something was taken from, by what esbuild tells of its builds. */
export function noticesOf(builds) {
  const outputs = builds.flatMap(({metafile}) => Object.values(metafile.outputs));
  const files = outputs.flatMap(({inputs}) => Object.entries(inputs ?? {}));
  const folders = files.flatMap(([path, {bytesInOutput}]) =>
    bytesInOutput > 0 ? (PACKAGE_FOLDER.exec(path) ?? []) : [],
  );
  return [HEAD, ...[...new Set(folders)].toSorted().map(noticeOf)].join(RULE);
}

function noticeOf(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter(file => LICENCE_FILE.test(file));
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(standardText(name, license));
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/** These name their licence and leave out its text; who holds the rights, they say elsewhere. */
const HOLDERS = {
  '@alcalzone/ink-table': 'Matic Zavadlal, AlCalzone',
  'yoga-layout': 'Meta Platforms, Inc. and affiliates',
};

function standardText(name, license) {
  const holder = HOLDERS[name];
  if (license !== 'MIT' || holder === undefined) throw new Error(`${name} brings no text of its licence (${license}).`);
  return MIT.replace('HOLDER', holder);
}

const MIT = `MIT License

Copyright (c) HOLDER

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
