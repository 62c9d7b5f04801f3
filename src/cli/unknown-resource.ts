import {closest} from '../domain/closest-word.ts';
import {RESOURCES} from '../resources/resources.ts';

/** Says that there is no resource with that name, and which one was probably meant; `instead` if none is similar. */
export function unknownResource(name: string, instead?: string): string {
  const meant = closest(
    name,
    RESOURCES.flatMap(({names}) => names),
  );
  const list = RESOURCES.map(({names}) => names[0]).join(' ');
  if (meant !== undefined) return `unknown resource "${name}"; did you mean ${meant}?`;
  return `unknown resource "${name}"; ${instead === undefined ? '' : `did you mean ${instead}? `}available: ${list}`;
}
