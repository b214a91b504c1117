// The settings the desktop gives its gateway: the user's environment, over what a desktop needs by default.
import path from 'node:path'

/**
 * Loopback, a stable port, a closed data plane: an agent on this machine needs a key, a web page gets nothing. One
 * person's agents author graphs call by call, so they get 100 calls a second where a server allows 100 a minute.
 */
export function desktopEnv(
  env: Readonly<Record<string, string | undefined>>,
  userData: string,
  encryptionKey: string | undefined,
): Record<string, string | undefined> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '8790',
    DB_PATH: path.join(userData, 'data', 'gantry.db'),
    DATA_DIR: path.join(userData, 'data'),
    LOCAL_SERVERS_FILE: path.join(userData, 'data', 'local-servers.json'),
    PCG_ENABLED: 'true',
    RATE_LIMIT_MCP: '6000',
    LOG_FORMAT: 'text',
    ...(encryptionKey === undefined ? {} : { SECRET_ENCRYPTION_KEY: encryptionKey }),
    ...env,
    // Not the user's to relax: on a desktop every web page is a neighbour.
    REQUIRE_MCP_AUTH: 'true',
    AUTH_DISABLED: 'false',
  }
}
