/** The environment variables of the process; not the service's environments. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
