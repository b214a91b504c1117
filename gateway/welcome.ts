// What `npm start` says once the gateway runs: where to look, how to sign in, what to paste into an agent.
import type { Loaded } from './settings/load.ts'

export function sayWelcome(
  url: string,
  /** Whether an admin was just created. */
  isNew: boolean,
  { PCG_ENABLED, MCP_API_KEYS, REQUIRE_MCP_AUTH }: Loaded['settings'],
  say: (line: string) => void,
): void {
  const entry = {
    type: 'http',
    url: `${url}/mcp/${PCG_ENABLED ? 'pcg' : '<backend>'}`,
    ...(MCP_API_KEYS.length > 0 || REQUIRE_MCP_AUTH
      ? { headers: { Authorization: 'Bearer <one of MCP_API_KEYS>' } }
      : {}),
  }
  say('')
  say(`  Admin      ${url}/admin`)
  say(
    isNew
      ? '  Sign in    with the bootstrap admin printed above; its password is not shown again'
      : '  Sign in    with the admin you created before',
  )
  say('  Agents     paste this into the mcpServers of your client:')
  say('')
  for (const each of JSON.stringify({ gantry: entry }, null, 2).split('\n')) say(`    ${each}`)
  say('')
  say('  Stop with Ctrl-C.')
}
