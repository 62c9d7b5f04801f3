import {type Simulator, type SimulatorOptions, startSimulator} from '../../src/simulator/http/server.ts';
import {atEnd} from '../support/lifetime.ts';

/** A simulator whose clock the test moves, reached over real HTTP. */
export type SimulatorUnderTest = {
  readonly simulator: Simulator;
  /** Moves the wall clock forward. */
  readonly pass: (ms: number) => void;
  /** Sends a request with the owner's key or another one. The test names the type of the body. */
  readonly get: <T>(path: string, options?: RequestOptions) => Promise<Reply<T>>;
  /** Sends an object as JSON. */
  readonly post: <T>(path: string, body: object, options?: RequestOptions) => Promise<Reply<T>>;
  readonly machines: () => Promise<readonly WireMachine[]>;
  readonly machine: (name: string) => Promise<WireMachine>;
  readonly usage: (query?: string) => Promise<readonly WireUsage[]>;
};

type RequestOptions = {
  readonly key?: string | undefined;
  readonly method?: string;
  /** The raw body. */
  readonly body?: string;
};

export type Reply<T> = {readonly status: number; readonly headers: Headers; readonly body: T; readonly text: string};

export type WireRefusal = {readonly status: boolean; readonly message: string; readonly error_reason?: string};

export type WireMachine = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly vm_state: string | null;
  readonly power_state: string | null;
  readonly fixed_ip: string | null;
  readonly floating_ip: string | null;
  readonly floating_ip_status: string;
  readonly contract_id: number | null;
  readonly cluster_id: number | null;
  readonly created_at: string;
  readonly labels: readonly string[];
  readonly environment: {readonly id: number; readonly name: string; readonly region: string};
  readonly flavor: {
    readonly name: string;
    readonly cpu: number;
    readonly ram: number;
    readonly gpu: string;
    readonly gpu_count: number;
  };
  readonly security_rules: readonly WireRule[];
  readonly volume_attachments: readonly {readonly volume: {readonly id: number; readonly size: number}}[];
};

export type WireRule = {
  readonly id: number;
  readonly status: string;
  readonly direction: string;
  readonly protocol: string;
  readonly ethertype: string;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string;
};

export type WireFirewall = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly environment: {readonly id: number; readonly name: string; readonly region: string};
  readonly rules: readonly WireRule[];
  readonly attachments: readonly {readonly status: string; readonly vm: {readonly id: number; readonly name: string}}[];
};

export type WireCluster = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly is_reconciling: boolean;
  readonly environment_name: string;
  readonly environment_region: string;
  readonly kubernetes_version: string;
  readonly api_address: string | null;
  readonly kube_config: string | null;
  readonly master_count: number;
  readonly created_at: string;
  readonly image: {readonly name: string};
  readonly node_groups: readonly {
    readonly id: number;
    readonly name: string;
    readonly count: number;
    readonly flavor: {readonly name: string};
    readonly firewall_ids: readonly number[];
  }[];
  readonly nodes: readonly {
    readonly id: number;
    readonly role: string;
    readonly status: string;
    readonly node_group_id: number | null;
    readonly node_group_name: string | null;
    readonly instance: {readonly id: number; readonly name: string; readonly status: string; readonly fixed_ip: string};
  }[];
};

export type WireUsage = {
  readonly resource_id: number;
  readonly resource_type: string;
  readonly name: string;
  readonly bill_per_minute: number | null;
  readonly create_time: string;
  readonly terminate_time: string | null;
  readonly total_up_time: number;
  readonly total_bill: number;
  readonly active: boolean;
  readonly exclude_billing: boolean;
};

export type WireEvent = {
  readonly instance_id: number;
  readonly user_id: number;
  readonly org_id: number;
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
};

/** Friday, 20 November 2026, 20:00 UTC. */
export const STARTED_AT = Date.UTC(2026, 10, 20, 20);
export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Starts one for the running test, or for the suite that shares it, and closes it afterwards. */
export async function aSimulator(options: SimulatorOptions = {}): Promise<SimulatorUnderTest> {
  let wallNow = options.startedAt ?? STARTED_AT;
  const simulator = await startSimulator({rateLimitPerMinute: 'off', ...options, wallClock: () => wallNow});
  atEnd(simulator.close);

  async function get<T>(
    path: string,
    {key = simulator.apiKey, method = 'GET', body}: RequestOptions = {},
  ): Promise<Reply<T>> {
    const headers = {api_key: key, ...(body === undefined ? {} : {'content-type': 'application/json'})};
    const response = await fetch(simulator.url + path, {method, headers, body: body ?? null, redirect: 'manual'});
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return {status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text};
  }

  const machines = async () =>
    (await get<{instances: readonly WireMachine[]}>('/core/virtual-machines')).body.instances;

  return {
    simulator,
    pass: ms => {
      wallNow += ms;
    },
    get,
    post: (path, body, options) => get(path, {method: 'POST', body: JSON.stringify(body), ...options}),
    machines,
    machine: async name => found(await machines(), candidate => candidate.name === name, name),
    usage: async (query = '') => (await get<{data: readonly WireUsage[]}>(`/billing/billing/usage${query}`)).body.data,
  };
}

/**
 * Returns the first value that fits and throws if there is none, so that a missing value fails the test with a
 * message.
 */
export function found<T>(values: Iterable<T>, fits: (value: T) => boolean, what: string): T {
  for (const value of values) if (fits(value)) return value;
  throw new Error(`There is no ${what}.`);
}
