// The tools that look: every system role may use them.
import { z } from 'zod'
import { AuditEntry } from '../contract/admin/audit-log.ts'
import { BundleSummary } from '../contract/admin/bundles.ts'
import { ClientDetail, ClientSummary, HEALTH } from '../contract/admin/clients.ts'
import { KeyRecord } from '../contract/admin/mcp-keys.ts'
import { ToolRow } from '../contract/admin/tools.ts'
import { type Page, page } from '../contract/page.ts'
import { type Paging, pageById, pageByName } from '../storage/page.ts'
import { reachesClient } from './caller.ts'
import { FiguresReport } from './figures.ts'
import { reachesBundle, reachesKey } from './key-reach.ts'
import { type SysTool, sysTool } from './tool.ts'

type Read<T> = (paging: Paging) => Page<T> | Promise<Page<T>>

/** The rows read at a time to fill a page. */
const STRIDE = 200

/** Reads until the page is full, then returns the list's own cursor. */
async function reachedPage<T>(
  read: Read<T>,
  reaches: ((row: T) => boolean) | undefined,
  paging: Paging,
  pageOf: (rows: readonly T[], limit: number) => Page<T>,
): Promise<Page<T>> {
  if (reaches === undefined) return read(paging)
  const kept: T[] = []
  let { cursor } = paging
  do {
    const { items, nextCursor } = await read({ limit: STRIDE, cursor })
    for (const row of items) if (reaches(row)) kept.push(row)
    cursor = nextCursor
  } while (cursor !== undefined && kept.length <= paging.limit)
  return pageOf(kept.slice(0, paging.limit + 1), paging.limit)
}

const cursor = z.string().min(1).max(512).optional().describe('nextCursor of the page before')
const limit = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual)
const words = z.string().max(128).optional().describe('part of a name or description')

const common = { tier: 'read', stepUp: 'none', idempotent: true } as const
const byName = <T extends { readonly name: string }>(rows: readonly T[], most: number) =>
  pageByName(rows, most, ({ name }) => name)
export const READ_TOOLS: readonly SysTool[] = [
  sysTool({
    ...common,
    name: 'sys_list_clients',
    title: 'List backends',
    description: 'Backends by name, with their enabled flag, health and circuit breaker. Follow nextCursor for more.',
    args: z.strictObject({
      q: words,
      enabled: z.boolean().optional(),
      status: z.enum(HEALTH).optional(),
      limit: limit(200, 50),
      cursor,
    }),
    reply: page(ClientSummary),
    run: (filter, { operations, caller }) => {
      const within = caller.scoped ? (name: string) => reachesClient(caller, name) : undefined
      return operations.backends.list(caller.actor, { ...filter, within })
    },
  }),
  sysTool({
    ...common,
    name: 'sys_get_client',
    title: 'Read a backend',
    description: 'One backend in full: addresses, health, breaker, and every tool with its configuration.',
    args: z.strictObject({ name: z.string() }),
    reply: ClientDetail,
    targets: ({ name }) => [{ kind: 'client', client: name }],
    run: ({ name }, { operations, caller }) => operations.backends.get(caller.actor, name),
  }),
  sysTool({
    ...common,
    name: 'sys_list_tools',
    title: 'List tools',
    description: 'Every tool of every backend, by backend and name. Follow nextCursor for more.',
    args: z.strictObject({ client: z.string().optional(), q: words, limit: limit(1000, 1000), cursor }),
    reply: page(ToolRow),
    run: (filter, { operations, caller }) => {
      const within = caller.scoped ? caller.mayReach : undefined
      return operations.tools.list(caller.actor, { ...filter, within })
    },
  }),
  sysTool({
    ...common,
    name: 'sys_list_bundles',
    title: 'List bundles',
    description: 'Bundles by name, with how many tools and composites they hold. Follow nextCursor for more.',
    args: z.strictObject({ limit: limit(200, 50), cursor }),
    reply: page(BundleSummary),
    run: (paging, { operations: { bundles }, caller }) =>
      reachedPage(
        (more) => bundles.list(caller.actor, more),
        // One member out of reach, and its name and count would tell of it.
        caller.scoped ? ({ name }) => reachesBundle(caller, bundles, name) : undefined,
        paging,
        byName,
      ),
  }),
  sysTool({
    ...common,
    name: 'sys_list_keys',
    title: 'List keys',
    description: 'Managed keys of MCP clients, newest first: what they may reach, never their value.',
    args: z.strictObject({ limit: limit(200, 50), cursor }),
    reply: page(KeyRecord),
    run: (paging, { operations: { keys, bundles }, caller }) =>
      reachedPage(
        (more) => keys.list(caller.actor, more),
        caller.scoped ? (key) => reachesKey(caller, bundles, key) : undefined,
        paging,
        pageById,
      ),
  }),
  sysTool({
    ...common,
    name: 'sys_metrics',
    title: 'Gateway metrics',
    description: 'Uptime, sessions, tool calls by outcome, latency and breakers since the process started.',
    args: z.strictObject({}),
    reply: FiguresReport,
    run: (_none, { operations, caller }) => operations.figures(caller),
  }),
  sysTool({
    ...common,
    name: 'sys_audit_tail',
    title: 'Newest audit entries',
    description: 'The newest entries of the audit log, newest first: who changed what.',
    args: z.strictObject({ limit: limit(200, 50) }),
    reply: z.object({ items: z.array(AuditEntry) }),
    run: async ({ limit }, { operations, caller }) => ({ items: await operations.auditTail(caller, limit) }),
  }),
]
