// What a gateway holds after a morning of work: users, backends, calls, and one record of each kind, so that no page is empty.
import type { World } from './screenshots-world.ts'

export type Ask = (
  method: string,
  at: string,
  body: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<void>

export const PASSWORD = 'for the pictures, never guessed'

export const PEOPLE = [
  ['maria.lindqvist', 'admin'],
  ['tomas.okafor', 'operator'],
  ['yuki.tanabe', 'operator'],
  ['ines.moreau', 'auditor'],
  ['dana.whitfield', 'viewer'],
  ['release-bot', 'viewer'],
] as const

export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'

async function addRecords(ask: Ask, service: string): Promise<void> {
  await ask('POST', '/admin-api/teams', { name: 'Level design' })
  await ask('POST', '/admin-api/teams', { name: 'Build and release' })
  await ask('POST', '/admin-api/consumers', { name: 'Studio pipeline', monthlyQuota: 50_000 })
  await ask('POST', '/admin-api/budgets', {
    name: 'Agents',
    per: 'key',
    maxTokens: 2_000_000,
    maxCost: 40,
    stopLoops: true,
  })
  await ask('POST', '/admin-api/policies', { name: 'Slow and careful', rateLimitPerMin: 10, timeoutMs: 30_000 })
  await ask('POST', '/admin-api/composites', {
    name: 'find-and-report',
    description: 'Finds an asset and the issues that mention it',
    steps: [
      { targetClient: 'asset-library', targetTool: 'searchAssets' },
      { targetClient: 'bug-tracker', targetTool: 'findIssues' },
    ],
  })
  await ask('POST', '/admin-api/alerts', {
    name: 'Asset library fails',
    eventType: 'error_rate',
    webhookUrl: `${service}/hooks`,
    client: 'asset-library',
  })
  for (const [action, cron] of [
    ['disable', '0 22 * * 1-5'],
    ['enable', '0 7 * * 1-5'],
  ])
    await ask('POST', '/admin-api/schedules', {
      targetType: 'client',
      clientName: 'build-farm',
      action,
      cron,
      note: 'Rests at night',
    })
  const tool = '/admin-api/clients/asset-library/tools/getAsset'
  await ask('PATCH', tool, { monitor: {} })
  await ask('POST', `${tool}/monitor/run`, {})
  await ask('POST', '/admin-api/bundles/level-design/install-links', { label: 'Maria, level design' })
  await ask('POST', '/admin-api/config/snapshots', { label: 'Before the milestone' })
  await ask('POST', '/admin-api/ws-proxy-targets', {
    name: 'live-link',
    backendWsUrl: `${service.replace('http', 'ws')}/live`,
  })
  await ask('PATCH', '/admin-api/clients/asset-library/tools/uploadAsset', { requiresApproval: true })
}

/** The admin API and the calls are asked with a key that may do both. */
export async function aMorning(ask: Ask, { url: world, backends }: World): Promise<void> {
  for (const [username, role] of PEOPLE.slice(1))
    await ask('POST', '/admin-api/users', { username, password: PASSWORD, role })
  for (const [username] of PEOPLE.slice(1, 4))
    await ask('POST', '/admin-api/auth/login', { username, password: PASSWORD })
  await ask('PATCH', '/admin-api/users/yuki.tanabe', { role: 'auditor' })
  await ask('PATCH', '/admin-api/users/release-bot', { isActive: false })
  for (const backend of backends) await ask('POST', '/register', backend)
  const toolOf = (client: string, tool: string): string => `/admin-api/clients/${client}/tools/${tool}`
  await ask('PATCH', toolOf('asset-library', 'retireAsset'), { sensitive: true })
  await ask('PATCH', toolOf('build-farm', 'startBuild'), { guards: { rateLimitPerMin: 6, timeoutMs: 120_000 } })
  await ask('PATCH', toolOf('build-farm', 'cancelBuild'), { enabled: false })
  const tools = [
    { client: 'asset-library', tool: 'searchAssets' },
    { client: 'asset-library', tool: 'getAsset' },
    { client: 'bug-tracker', tool: 'findIssues' },
    { client: 'player-telemetry', tool: 'heatmap' },
  ]
  await ask('POST', '/admin-api/bundles', { name: 'level-design', description: 'For level designers', tools })
  for (const [label, scopes] of [
    ['Claude Code, Maria', { bundles: ['level-design'] }],
    ['Cursor, Tomas', { clients: ['asset-library', 'bug-tracker'] }],
    ['Nightly report', { clients: ['player-telemetry'] }],
  ])
    await ask('POST', '/admin-api/mcp-keys', {
      label,
      scopes,
      expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
    })
  const call = (client: string, name: string, args: object, headers = {}): Promise<void> =>
    ask(
      'POST',
      `/mcp/${client}`,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      { 'user-agent': 'claude-code/2.1', ...headers },
    )
  for (let turn = 0; turn < 24; turn += 1) {
    await call('asset-library', 'searchAssets', { q: 'birch', limit: 10 })
    if (turn % 3 === 0) await call('bug-tracker', 'findIssues', { q: 'foliage' })
    if (turn % 6 === 0) await call('asset-library', 'retireAsset', { id: 'a-17' })
    if (turn % 8 === 0) await call('build-farm', 'listBuilds', { branch: 'main' })
    if (turn % 9 === 0) await call('build-farm', 'cancelBuild', { id: 'b-4' })
  }
  await addRecords(ask, world)
  await call('asset-library', 'uploadAsset', { name: 'SM_Birch_03', version: '4' })
  const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`
  await call('asset-library', 'getAsset', { id: 'a-17' }, { traceparent })
}
