import type {SeededBug} from './bugs.ts';

const EXCHANGE_TESTS = ['test/api/operation-exchange.test.ts'];
const CLIENT_TESTS = ['test/api/client.test.ts'];
const SIMULATION = ['test/tools/simulation.test.ts'];

/** Mistakes between us and the service: repeated, redirected, misread, sent to the wrong place. */
export const WIRE_BUGS: readonly SeededBug[] = [
  {
    name: 'an operation without an answer is sent again',
    path: 'src/api/client.ts',
    from: 'const reply = await exchange.operation(line, request);',
    to: `let reply = await exchange.operation(line, request);
      if (!reply.ok && reply.failure.kind !== 'not-sent') reply = await exchange.operation(line, request);`,
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'an operation that is rate-limited is sent again',
    path: 'src/api/client.ts',
    from: 'const judged = judgeOperation(line, reply.value, request.url);',
    to: `if (reply.value.httpStatus === 429) await exchange.operation(line, request);
      const judged = judgeOperation(line, reply.value, request.url);`,
    tests: SIMULATION,
    title: '^vm.stop ',
  },
  {
    name: 'the library repeats reads by itself',
    path: 'src/api/read-exchange.ts',
    from: 'retry: 0,',
    to: 'retry: 2,',
    tests: ['test/api/read-exchange.test.ts'],
  },
  {
    name: 'redirects are followed, with the key in hand',
    path: 'src/api/read-exchange.ts',
    from: "redirect: 'manual',",
    to: "redirect: 'follow',",
    tests: CLIENT_TESTS,
  },
  {
    name: 'the key goes to any origin',
    path: 'src/api/exchange.ts',
    from: 'if (!isPinned(pin, request.url))',
    to: 'if (request.url.protocol === "ftp:" && !isPinned(pin, request.url))',
    tests: ['test/api/exchange.test.ts'],
  },
  {
    name: 'a redirect counts as a yes',
    path: 'src/api/exchange.ts',
    from: 'return httpStatus >= 200 && httpStatus < 300;',
    to: 'return httpStatus >= 200 && httpStatus < 400;',
    tests: CLIENT_TESTS,
  },
  {
    name: 'status: false is taken for a yes',
    path: 'src/api/judge.ts',
    from: 'return body.status === false ||',
    to: 'return',
    tests: CLIENT_TESTS,
  },
  {
    name: 'any JSON is taken for a yes',
    path: 'src/api/client.ts',
    from: 'if (!endpoint.isAccepted(judged.value))',
    to: 'if (judged.value === undefined)',
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'a cut connection counts as not sent',
    path: 'src/api/operation-exchange.ts',
    from: 'settle(isConnected ? {ok: false, failure} :',
    to: 'settle(Number.isNaN(sentAt) ? {ok: false, failure} :',
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'operations go out over shared connections',
    path: 'src/api/operation-exchange.ts',
    from: "connection: 'close'",
    to: "connection: 'keep-alive'",
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'an operation is given up after five seconds',
    path: 'src/api/operation-exchange.ts',
    from: 'OPERATION_TIMEOUT_MS = 45 * SECOND_MS',
    to: 'OPERATION_TIMEOUT_MS = 5 * SECOND_MS',
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'operations go out while certificates are not checked',
    path: 'src/api/client.ts',
    from: 'if (options.isTlsUnchecked) {',
    to: 'if (options.isTlsUnchecked && endpoint.method === "PUT") {',
    tests: EXCHANGE_TESTS,
  },
  {
    name: 'another id stands in the path',
    path: 'src/actions/define.ts',
    from: 'client.fire(endpointOf(action), action)',
    to: 'client.fire(endpointOf(action), {...action, id: (action.id ?? 0) + 1})',
    tests: ['test/actions/requests.test.ts'],
  },
  {
    name: 'an id that lost its digits becomes a path',
    path: 'src/api/endpoint.ts',
    from: "typeof value === 'number' && Number.isSafeInteger(value) && value >= leastId,",
    to: "typeof value === 'number',",
    tests: ['test/api/endpoint.test.ts'],
  },
  {
    name: 'a read may end in an operation',
    path: 'src/api/endpoint.ts',
    from: 'return !FREE_NAME_PARENTS.has(parent) && ACTING_SEGMENTS.has(decodeSegment(last).toLowerCase());',
    to: 'return !FREE_NAME_PARENTS.has(parent) && last === "nothing";',
    tests: ['test/api/endpoint.test.ts'],
  },
  {
    name: 'a stop is a start',
    path: 'src/actions/machine-power.ts',
    from: 'endpoint: stopVirtualMachine,',
    to: 'endpoint: startVirtualMachine,',
    tests: ['test/actions/requests.test.ts'],
  },
  {
    name: 'a raw request that cannot be written down is sent all the same',
    path: 'src/cli/api.ts',
    from: '    return EXIT.noAnswer;\n  }\n  onSend();',
    to: '  }\n  onSend();',
    tests: ['test/cli/api.test.ts'],
  },
  {
    name: 'a raw request answered with a 5xx is written down as refused',
    path: 'src/cli/api.ts',
    from: "isUnknown ? 'unknown' : 'REFUSED'",
    to: "'REFUSED'",
    tests: ['test/cli/api.test.ts'],
  },
  {
    name: 'what the service says of a body is written down',
    path: 'src/cli/api.ts',
    from: 'const isKept = body === undefined || ',
    to: 'const isKept = body !== null || ',
    tests: ['test/cli/api.test.ts'],
  },
  {
    name: 'a read by id takes a record of another id',
    path: 'src/api/list.ts',
    from: 'const askedId = wish.endpoint.isById ? askedIdIn(wish.path) : undefined;',
    to: 'const askedId = undefined;',
    tests: ['test/api/endpoint.test.ts'],
  },
  {
    name: 'the key goes into the journal',
    path: 'src/state/journal.ts',
    from: "(typeof value === 'string' ? redact(value) : value)",
    to: 'value',
    tests: ['test/state/journal.test.ts'],
  },
  {
    name: 'machines that could not be read are detached',
    path: 'src/domain/attachment-state.ts',
    from: 'hasUnreadAttachments === true || !isWhole',
    to: '!isWhole',
    tests: ['test/cli/plan.test.ts', 'test/actions', 'test/domain/attachment-state.test.ts'],
  },
];
