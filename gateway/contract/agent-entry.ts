// What stands in the file of each known agent for one server: where in it, and in which shape. Pure.
export const AGENT_IDS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini-cli',
  'windsurf',
  'opencode',
] as const
export type AgentId = (typeof AGENT_IDS)[number]

export type AgentEntry = Readonly<Record<string, unknown>>
type Written = { readonly url: string; readonly bearer: string }

/** `entry` is null for an agent that speaks to programs only. */
type Shape = {
  readonly label: string
  /** The object, or the TOML table, that holds all servers by name. */
  readonly container: string
  readonly entry: ((written: Written) => AgentEntry) | null
}

const withType = ({ url, bearer }: Written): AgentEntry => ({ type: 'http', url, headers: { Authorization: bearer } })

export const AGENT_ENTRIES = {
  'claude-code': { label: 'Claude Code', container: 'mcpServers', entry: withType },
  // An entry with an address makes it refuse the whole file.
  'claude-desktop': { label: 'Claude Desktop', container: 'mcpServers', entry: null },
  cursor: {
    label: 'Cursor',
    container: 'mcpServers',
    entry: ({ url, bearer }) => ({ url, headers: { Authorization: bearer } }),
  },
  vscode: { label: 'VS Code', container: 'servers', entry: withType },
  codex: {
    label: 'Codex',
    container: 'mcp_servers',
    entry: ({ url, bearer }) => ({ url, http_headers: { Authorization: bearer } }),
  },
  'gemini-cli': { label: 'Gemini CLI', container: 'mcpServers', entry: withType },
  windsurf: {
    label: 'Windsurf',
    container: 'mcpServers',
    entry: ({ url, bearer }) => ({ serverUrl: url, headers: { Authorization: bearer } }),
  },
  opencode: {
    label: 'opencode',
    container: 'mcp',
    entry: ({ url, bearer }) => ({ type: 'remote', url, enabled: true, headers: { Authorization: bearer } }),
  },
} as const satisfies Readonly<Record<AgentId, Shape>>
