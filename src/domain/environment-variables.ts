/** The environment variables of the process; not the service's environments. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Without what is not an absolute folder in PATH: from such an entry, also an empty one, a program in the current
 * folder would be started, where others may have put it.
 */
export function withoutNearbyPrograms({PATH: path, ...others}: EnvironmentVariables): EnvironmentVariables {
  const folders = (path ?? '').split(':').filter(folder => folder.startsWith('/'));
  // An empty PATH means the current folder; without any, the system's own folders are searched.
  return folders.length === 0 ? others : {...others, PATH: folders.join(':')};
}
