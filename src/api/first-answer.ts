import type {Exchange} from './client.ts';

/**
 * Lets the answer to the first request go first: the others are received, but are not read before `release`. At a start
 * they all arrive at once, and each that is parsed before the first one is on screen would delay it.
 */
export function firstAnswerFirst(exchange: Exchange): {readonly exchange: Exchange; readonly release: () => void} {
  const {promise: released, resolve: release} = Promise.withResolvers<void>();
  let firstPath: string | undefined;
  return {
    exchange: {
      ...exchange,
      read: async (connection, request, limits) => {
        // All pages of a list have the same path.
        const {pathname} = request.url;
        firstPath ??= pathname;
        const reply = await exchange.read(connection, request, limits);
        if (pathname !== firstPath) await released;
        return reply;
      },
    },
    release,
  };
}
