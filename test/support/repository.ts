import {readdirSync, readFileSync} from 'node:fs';
import {join, relative, sep} from 'node:path';
import {projectRoot} from './launch.ts';
import type {SourceFile} from './source-text.ts';

/** Every TypeScript file in a folder of the repository and below it. */
export function filesBelow(folder: string): SourceFile[] {
  return readdirSync(join(projectRoot, folder), {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => ({path: relative(projectRoot, path).split(sep).join('/'), text: readFileSync(path, 'utf8')}));
}

/** The packages in package.json. All are development dependencies, because the bundle contains what it needs. */
export function declaredPackages(): string[] {
  const lists: unknown = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  if (typeof lists !== 'object' || lists === null || !('devDependencies' in lists)) {
    throw new Error('package.json lists no devDependencies.');
  }
  return Object.keys(lists.devDependencies ?? {});
}
