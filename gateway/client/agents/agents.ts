// Every agent Gantry can be written into: how it is noticed, which file it reads, and what it takes to read it again.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { AGENT_ENTRIES, AGENT_IDS, type AgentId } from '../../contract/agent-entry.ts'
import type { Place } from './entry-file.ts'

/** The machine the agents are on. Everything about it comes in, so that a test can be any machine. */
export type Machine = {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export type AgentRow = {
  readonly id: AgentId
  readonly label: string
  readonly format: Place['format']
  /** The first that exists is meant; else the first. */
  readonly files: (machine: Machine) => readonly string[]
  /** Any of them says that the agent is there. */
  readonly signs: (machine: Machine) => readonly string[]
  readonly programs: readonly string[]
  /** What has to be done before it sees a change. */
  readonly restart: string
}

const pathOf = ({ platform }: Machine): typeof path.posix => (platform === 'win32' ? path.win32 : path.posix)
const at = (machine: Machine, ...names: readonly string[]): string => pathOf(machine).join(machine.home, ...names)

/** Where programs with a window keep what is theirs. */
function appData(machine: Machine, ...names: readonly string[]): string {
  const { join } = pathOf(machine)
  switch (machine.platform) {
    case 'darwin':
      return at(machine, 'Library', 'Application Support', ...names)
    case 'win32':
      return join(machine.env.APPDATA || at(machine, 'AppData', 'Roaming'), ...names)
    default:
      return join(machine.env.XDG_CONFIG_HOME || at(machine, '.config'), ...names)
  }
}
const inConfig = (machine: Machine, ...names: readonly string[]): string =>
  pathOf(machine).join(machine.env.XDG_CONFIG_HOME || at(machine, '.config'), ...names)
const applications = (machine: Machine, name: string): readonly string[] =>
  machine.platform === 'darwin' ? [`/Applications/${name}.app`, at(machine, 'Applications', `${name}.app`)] : []

type Own = Omit<AgentRow, 'id' | 'label'>
const ROWS: Readonly<Record<AgentId, Own>> = {
  'claude-code': {
    format: 'json',
    files: (machine) => [pathOf(machine).join(machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json')],
    signs: (machine) => [at(machine, '.claude'), at(machine, '.claude.json')],
    programs: ['claude'],
    restart: 'Restart claude; open sessions keep their servers.',
  },
  'claude-desktop': {
    format: 'json',
    files: (machine) => [appData(machine, 'Claude', 'claude_desktop_config.json')],
    signs: (machine) => [appData(machine, 'Claude'), ...applications(machine, 'Claude')],
    programs: [],
    restart: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    format: 'json',
    files: (machine) => [at(machine, '.cursor', 'mcp.json')],
    signs: (machine) => [at(machine, '.cursor'), ...applications(machine, 'Cursor')],
    programs: ['cursor'],
    restart: 'Open Settings → MCP in Cursor and switch the server on.',
  },
  vscode: {
    format: 'json',
    files: (machine) => [appData(machine, 'Code', 'User', 'mcp.json')],
    signs: (machine) => [appData(machine, 'Code'), ...applications(machine, 'Visual Studio Code')],
    programs: ['code'],
    restart: 'Run “MCP: List Servers” in VS Code and start the server.',
  },
  codex: {
    format: 'toml',
    files: (machine) => [pathOf(machine).join(machine.env.CODEX_HOME || at(machine, '.codex'), 'config.toml')],
    signs: (machine) => [machine.env.CODEX_HOME || at(machine, '.codex')],
    programs: ['codex'],
    restart: 'Restart codex.',
  },
  'gemini-cli': {
    format: 'json',
    files: (machine) => [at(machine, '.gemini', 'settings.json')],
    signs: (machine) => [at(machine, '.gemini')],
    programs: ['gemini'],
    restart: 'Restart gemini.',
  },
  windsurf: {
    format: 'json',
    files: (machine) => [at(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    signs: (machine) => [at(machine, '.codeium', 'windsurf'), ...applications(machine, 'Windsurf')],
    programs: ['windsurf'],
    restart: 'Press Refresh in the MCP panel of Cascade.',
  },
  opencode: {
    format: 'json',
    // It reads both; the one a person has chosen is the one to write to.
    files: (machine) => ['opencode.json', 'opencode.jsonc'].map((name) => inConfig(machine, 'opencode', name)),
    signs: (machine) => [inConfig(machine, 'opencode')],
    programs: ['opencode'],
    restart: 'Restart opencode.',
  },
}

export const AGENTS: readonly AgentRow[] = AGENT_IDS.map((id) => ({ id, label: AGENT_ENTRIES[id].label, ...ROWS[id] }))

export const agentOf = (id: AgentId): AgentRow => ({ id, label: AGENT_ENTRIES[id].label, ...ROWS[id] })

/** Where a program is, as a shell would find it; programs with a window see less of the PATH than a shell does. */
export function findProgram(machine: Machine, name: string): string | undefined {
  const { join, delimiter } = pathOf(machine)
  const windows = machine.platform === 'win32'
  const usual = windows
    ? [join(machine.env.ProgramFiles ?? 'C:\\Program Files', 'nodejs')]
    : ['/usr/local/bin', '/opt/homebrew/bin', at(machine, '.local', 'bin'), '/usr/bin']
  const folders = [...(machine.env.PATH ?? machine.env.Path ?? '').split(delimiter).filter(Boolean), ...usual]
  const endings = windows ? ['.exe', '.cmd'] : ['']
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find((file) => existsSync(file))
}

export const fileOf = (agent: AgentRow, machine: Machine): string => {
  const files = agent.files(machine)
  return files.find((file) => existsSync(file)) ?? files[0] ?? ''
}

export const isInstalled = (agent: AgentRow, machine: Machine): boolean =>
  agent.signs(machine).some((sign) => existsSync(sign)) ||
  agent.programs.some((name) => findProgram(machine, name) !== undefined)
