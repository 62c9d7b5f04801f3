/** The variables that a process is started with; not the service's environments. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
