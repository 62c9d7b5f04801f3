type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * Leads all requests by https through the proxy that `HTTPS_PROXY` names, but for the hosts of `NO_PROXY`. Plain http
 * never leaves this machine, so no proxy is for it. Gives whether there is one; a Node before 25.4 cannot use it.
 */
export async function takeProxy(environment: Environment): Promise<boolean> {
  const httpsProxy = environment.https_proxy ?? environment.HTTPS_PROXY ?? '';
  if (httpsProxy === '') return false;
  const http: Partial<typeof import('node:http')> = await import('node:http');
  if (http.setGlobalProxyFromEnv === undefined) return false;
  const noProxy = [environment.no_proxy ?? environment.NO_PROXY ?? '', ...LOOPBACK].filter(host => host !== '');
  // An empty address keeps the library from looking for the other variable by itself.
  http.setGlobalProxyFromEnv({HTTPS_PROXY: httpsProxy, HTTP_PROXY: '', NO_PROXY: noProxy.join(',')});
  return true;
}
