import {rmSync} from 'node:fs';
import {join} from 'node:path';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import type {KeySource} from './key-source.ts';
import type {AskedOptions, ConnectionOptions} from './options.ts';
import {configFolder, createOwnFile, ownFolder} from './own-files.ts';
import type {Profile, Settings} from './settings.ts';

/** Known base URLs: that of the provider whose published interface skydeck is made for. */
export const PROVIDER_BASE_URL = 'https://infrahub-api.nexgencloud.com/v1';

export type ResolvedOptions =
  | {readonly ok: true; readonly options: ConnectionOptions; readonly profileName?: string}
  | {readonly ok: false; readonly mistake: SafeText};

/**
 * Takes from the profile what neither an option nor the environment sets. The profile is the named one, or else the one
 * in use. Its key is only for its own service: with another base URL the key is not used.
 */
export function resolveOptions(asked: AskedOptions, settings: Pick<Settings, 'profile' | 'profiles'>): ResolvedOptions {
  const {profileName, ...options} = asked;
  const name = profileName ?? settings.profile;
  if (name === undefined) {
    return {ok: true, options: {...options, isReadOnly: asked.isReadOnly ?? false, prometheus: undefined}};
  }
  const profile = profileOf(settings, name);
  if (profile === undefined) return {ok: false, mistake: unknownProfile(settings, name)};
  const isOwnService = asked.baseUrl === undefined || isSameService(asked.baseUrl, profile.baseUrl);
  return {
    ok: true,
    profileName: name,
    options: {
      ...options,
      baseUrl: asked.baseUrl ?? profile.baseUrl,
      keySource: asked.keySource ?? (isOwnService ? keySourceOf(profile) : undefined),
      isReadOnly: asked.isReadOnly ?? profile.readOnly,
      hasColour: asked.hasColour && profile.color,
      prometheus: isOwnService ? profile.prometheus : undefined,
    },
  };
}

export function profileOf(settings: Pick<Settings, 'profiles'>, name: string): Profile | undefined {
  return Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined;
}

/** Lists the existing ones. The name that was given may be any kind of slip, so it is not repeated. */
export function unknownProfile({profiles}: Pick<Settings, 'profiles'>, name: string): SafeText {
  const known = Object.keys(profiles);
  const given = /^[\w.-]{1,20}$/.test(name) ? say` "${safeText(name)}"` : say``;
  return known.length === 0
    ? say`no profile${given}: skydeck profile add creates one`
    : say`unknown profile${given}; available: ${safeText(known.join(', '))}`;
}

/** The source of a profile's key; undefined if it has none. */
function keySourceOf({keyFile, keyCommand}: Profile): KeySource | undefined {
  if (keyCommand !== undefined) return {kind: 'command', words: keyCommand};
  return keyFile === undefined ? undefined : {kind: 'file', path: keyFile};
}

/** Writes a profile's key to a file of its own, mode 0600 in a folder of mode 0700; returns its path. */
export function writeKeyFile(environment: EnvironmentVariables, name: string, key: Secret): string {
  ownFolder(configFolder(environment));
  ownFolder(join(configFolder(environment), 'keys'));
  const path = keyPath(environment, name);
  // A link left there would carry the key to another place.
  rmSync(path, {force: true});
  createOwnFile(path, `${key.reveal()}\n`);
  return path;
}

/** Removes the key file that skydeck itself wrote for this profile; a person's own file stays. */
export function removeKeyFile(environment: EnvironmentVariables, name: string, profile: Profile): void {
  if (profile.keyFile === keyPath(environment, name)) rmSync(profile.keyFile, {force: true});
}

function keyPath(environment: EnvironmentVariables, name: string): string {
  return join(configFolder(environment), 'keys', `${name}.key`);
}

function isSameService(left: string, right: string): boolean {
  const [one, other] = [URL.parse(left), URL.parse(right)];
  return one !== null && other !== null && one.origin === other.origin && trimmed(one) === trimmed(other);
}

function trimmed({pathname}: URL): string {
  return pathname.replace(/\/+$/, '');
}
