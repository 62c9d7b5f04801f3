import {closest} from '../domain/closest-word.ts';
import {RESOURCES} from '../resources/resources.ts';

/** Why there is no resource of that name, and which was probably meant; `instead` where none is near. */
export function unknownResource(name: string, instead?: string): string {
  const meant = closest(
    name,
    RESOURCES.flatMap(({names}) => names),
  );
  const list = RESOURCES.map(({names}) => names[0]).join(' ');
  if (meant !== undefined) return `unknown resource "${name}"; did you mean ${meant}?`;
  return `unknown resource "${name}"; ${instead === undefined ? '' : `did you mean ${instead}? `}available: ${list}`;
}
