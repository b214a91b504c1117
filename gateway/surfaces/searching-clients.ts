// MCP clients that load tools by a search of their own, by the name they give themselves (`clientInfo.name`): a short list would hide tools from it.

type SearchingClient = {
  readonly name: string
  readonly product: string
  /** Where its makers write of the search, and when that was read. */
  readonly source: string
  readonly read: string
}

/** Tool access of connectors: automatic, always available or on demand. */
const CLAUDE = 'https://support.claude.com/en/articles/13730515'
const COPILOT_CLI = 'https://docs.github.com/en/copilot/concepts/agents/copilot-cli/tool-search'
const VS_CODE = 'https://github.com/microsoft/vscode/issues/313899'

export const SEARCHING_CLIENTS: readonly SearchingClient[] = [
  { name: 'claude-ai', product: 'Claude', source: CLAUDE, read: '2026-11-27' },
  { name: 'claude-code', product: 'Claude Code', source: 'https://code.claude.com/docs/en/mcp', read: '2026-11-27' },
  {
    name: 'cursor-vscode',
    product: 'Cursor',
    source: 'https://cursor.com/blog/dynamic-context-discovery',
    read: '2026-11-27',
  },
  // Its name in each Copilot host but VS Code.
  { name: 'github-copilot-developer', product: 'GitHub Copilot CLI', source: COPILOT_CLI, read: '2026-11-27' },
  { name: 'Visual Studio Code', product: 'VS Code', source: VS_CODE, read: '2026-11-27' },
  { name: 'Visual Studio Code - Insiders', product: 'VS Code', source: VS_CODE, read: '2026-11-27' },
]

const NAMES: ReadonlySet<string> = new Set(SEARCHING_CLIENTS.map(({ name }) => name))

export const searchesItself = (program: string | null): boolean => program !== null && NAMES.has(program)
