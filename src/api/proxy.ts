import * as http from 'node:http';
import {Agent} from 'node:https';
import {assert} from '../domain/assert.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {DurationMs} from '../domain/time.ts';

/** How the service is reached: directly, through a proxy, or not at all because the configured proxy cannot be used. */
export type ProxyRoute =
  | {readonly kind: 'direct'}
  /** The URL can contain a password and is never shown. */
  | {readonly kind: 'proxy'; readonly proxyUrl: string}
  | {readonly kind: 'blocked'; readonly mistake: SafeText};

const DIRECT: ProxyRoute = {kind: 'direct'};
/** Node before 24.5 cannot open a tunnel without a separate library. */
const CAN_TUNNEL = typeof http.setGlobalProxyFromEnv === 'function';
const LOOPBACK = 'localhost,127.0.0.1,[::1],::1';

/**
 * The route to a service according to `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. Only https goes through a
 * proxy, and always in a tunnel, so that the proxy sees a host name and never the key. Plain http is allowed for
 * loopback addresses only, and goes directly.
 */
export function routeTo(service: URL, environment: EnvironmentVariables, canTunnel = CAN_TUNNEL): ProxyRoute {
  if (service.protocol === 'http:' && isLedByNode(environment) && !canTunnel) {
    return {
      kind: 'blocked',
      mistake: say`Node is told to send plain http through HTTP_PROXY: unset NODE_USE_ENV_PROXY`,
    };
  }
  const named = environment.https_proxy || environment.HTTPS_PROXY || '';
  if (named.trim() === '' || service.protocol !== 'https:' || isLocal(service.hostname)) return DIRECT;
  if (isExcepted(service, environment.no_proxy || environment.NO_PROXY || '')) return DIRECT;
  const proxy = URL.parse(named.includes('://') ? named.trim() : `http://${named.trim()}`);
  if (proxy === null || !['http:', 'https:'].includes(proxy.protocol) || proxy.hostname === '') {
    return {kind: 'blocked', mistake: say`HTTPS_PROXY is not the http or https URL of a proxy`};
  }
  if (!canTunnel) {
    const advice = say`a newer Node can, or name the service in NO_PROXY to reach it directly`;
    return {kind: 'blocked', mistake: say`HTTPS_PROXY is set and this version of Node cannot use it; ${advice}`};
  }
  return {kind: 'proxy', proxyUrl: proxy.href};
}

let readProxyUrl: string | undefined;

/** A proxy through which nothing is sent: Node accepts no settings without one. */
const NONE = {HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*'};

/**
 * Whether Node itself sends plain http through a proxy: a request meant for this computer would leave it, key and all.
 */
function isLedByNode(environment: EnvironmentVariables): boolean {
  const {NODE_USE_ENV_PROXY, NODE_OPTIONS = '', http_proxy, HTTP_PROXY} = environment;
  const isTold = Boolean(NODE_USE_ENV_PROXY) || [NODE_OPTIONS, ...process.execArgv].join(' ').includes('use-env-proxy');
  return isTold && Boolean(http_proxy || HTTP_PROXY);
}

/**
 * Sends the reads of the process through the proxy, or past all proxies if Node was told to use one itself. The
 * platform's fetch has one proxy for the whole process, which is enough: a process has one service and one environment.
 */
export function leadReads(route: ProxyRoute, environment: EnvironmentVariables): void {
  if (route.kind === 'direct' && readProxyUrl === undefined && isLedByNode(environment)) {
    http.setGlobalProxyFromEnv(NONE);
  }
  if (route.kind !== 'proxy' || route.proxyUrl === readProxyUrl) return;
  assert(readProxyUrl === undefined, 'two proxies in one process');
  http.setGlobalProxyFromEnv({HTTPS_PROXY: route.proxyUrl, NO_PROXY: LOOPBACK});
  readProxyUrl = route.proxyUrl;
}

/**
 * The agent of an operation: a tunnel or connection of its own, never reused. A tunnel that is not open after
 * `timeoutMs` is given up; the limit does not apply to the answer.
 */
export function operationAgent(route: ProxyRoute, timeoutMs: DurationMs): Agent | false {
  if (route.kind !== 'proxy') return false;
  const proxyEnv = {HTTPS_PROXY: route.proxyUrl, NO_PROXY: LOOPBACK};
  return new Agent({keepAlive: false, timeout: timeoutMs, proxyEnv});
}

/**
 * Whether `NO_PROXY` names the service: `*`, a host, or a domain with or without its dot or star, each with or without
 * a port.
 */
function isExcepted({hostname, port}: URL, noProxy: string): boolean {
  const host = hostname.toLowerCase();
  const entries = noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(entry => entry !== '');
  return entries.some(entry => {
    if (entry === '*') return true;
    const [, name = entry, onlyPort] = /^(.*[^:]):(\d+)$/.exec(entry) ?? [];
    if (onlyPort !== undefined && onlyPort !== (port || '443')) return false;
    const domain = name.replace(/^\*?\./, '');
    return host === domain || host.endsWith(`.${domain}`);
  });
}

function isLocal(hostname: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname) || hostname.endsWith('.localhost');
}
