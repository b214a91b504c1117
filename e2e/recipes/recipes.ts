// One example of each row of "To add X, touch Y" in README.md: what a person types into which file.

/** `after` and `before` are found once in the file; with neither, the file is new. */
export type Edit = {
  readonly file: string
  readonly after?: string
  readonly before?: string
  readonly text: string
}
export type Recipe = {
  /** The first column. */
  readonly add: string
  readonly edits: readonly Edit[]
  /** A program that the row names, run afterwards. */
  readonly run?: string
}

export const RECIPES: readonly Recipe[] = [
  {
    add: 'a setting',
    edits: [
      {
        file: 'gateway/settings/table.ts',
        before: "    HOST: address('127.0.0.1'",
        text: "    EXAMPLE_LIMIT: count(5, [1, 10], 'How many examples'),\n",
      },
      {
        file: 'renderer/admin/settings/de.json',
        before: '  "Environment": ',
        text: '  "How many examples": "Wie viele Beispiele",\n',
      },
    ],
    run: 'gateway/settings/docs.ts',
  },
  {
    add: 'a command',
    edits: [
      {
        file: 'gateway/client/cli/schedules.ts',
        after: 'export const SCHEDULES: readonly Command[] = [\n',
        text: "  {\n    name: 'schedule example',\n    summary: 'Print an example',\n    run: async ({ api, tell }) => tell(await api.overview.get(), 'An example'),\n  },\n",
      },
    ],
    run: 'gateway/client/cli/docs.ts',
  },
  {
    add: 'an agent to connect',
    edits: [
      { file: 'gateway/contract/agent-entry.ts', before: "  'claude-code',\n", text: "  'example-agent',\n" },
      {
        file: 'gateway/contract/agent-entry.ts',
        before: "  'claude-code': { label",
        text: "  'example-agent': { label: 'Example', container: 'mcpServers', entry: withType },\n",
      },
      {
        file: 'gateway/client/agents/agents.ts',
        before: "  'claude-code': {\n",
        text: "  'example-agent': {\n    format: 'json',\n    files: (machine) => [at(machine, '.example.json')],\n    signs: (machine) => [at(machine, '.example.json')],\n    programs: [],\n    restart: 'Restart it.',\n  },\n",
      },
      {
        file: 'gateway/client/agents/connections.test.ts',
        before: '  opencode:\n',
        text: '  \'example-agent\': \'{"mcpServers": {"other": {"command": "x"}}}\\n\',\n',
      },
      ...[
        ['/h/', '/h/.claude.json /h/.config/Claude/'],
        ['/h/', '/d/.claude.json /x/Claude/'],
        ['/h/', '/h/.claude.json /h/Library/'],
        ['C:\\\\h\\\\', 'C:\\\\h\\\\.claude.json '],
      ].map(([home = '', before = '']) => ({
        file: 'gateway/client/agents/connections.test.ts',
        before,
        text: `${home}.example.json `,
      })),
    ],
  },
  {
    add: 'an IPC channel',
    edits: [
      { file: 'preload/names.ts', before: "  askAgents: 'agents:ask',\n", text: "  example: 'app:example',\n" },
      {
        file: 'preload/channels.ts',
        before: "  'app:facts': { input: nothing",
        text: "  'app:example': { input: nothing, output: z.string() },\n",
      },
      {
        file: 'main/handlers.ts',
        before: "    'app:facts': () => shell.facts(),\n",
        text: "    'app:example': async () => 'example',\n",
      },
      {
        file: 'main/ipc.test.ts',
        before: "  'app:facts': undefined,\n",
        text: "  'app:example': undefined,\n",
      },
      {
        file: 'main/ipc.test.ts',
        before: "      'app:facts': () =>",
        text: "      'app:example': () => hear('app:example', 'example'),\n",
      },
      {
        file: 'e2e/desktop/ipc.test.ts',
        before: "  'app:facts': undefined,\n",
        text: "  'app:example': undefined,\n",
      },
    ],
  },
  {
    add: 'an admin route',
    edits: [
      {
        file: 'gateway/contract/admin/overview.ts',
        before: "  posture: {\n    method: 'GET',\n",
        text: "  example: {\n    method: 'GET',\n    path: '/admin-api/example',\n    access: 'viewer',\n    summary: 'An example',\n    reply: z.object({ example: z.literal(1) }),\n  },\n",
      },
      {
        file: 'gateway/admin/overview.ts',
        before: '    async posture() {\n',
        text: '    example: () => ({ example: 1 }),\n',
      },
      { file: 'gateway/admin/overview.ts', before: "'posture' | 'events'>", text: "'example' | " },
    ],
  },
  {
    add: 'a notification of the gateway',
    edits: [
      {
        file: 'gateway/compose/approvals.ts',
        before: '      if (url !== null)\n        webhooks.send({\n',
        text: "      if (url !== null) webhooks.send({ sink: 'approval', url, timeoutMs, event: 'example', fields: {} })\n",
      },
    ],
  },
  {
    add: 'a feature of a tool',
    edits: [
      {
        file: 'gateway/contract/admin/tool-features.ts',
        before: '  routing: Routing,\n}',
        text: '  example: z.strictObject({ enabled: z.boolean() }),\n',
      },
      {
        file: 'gateway/contract/audit-action.ts',
        after: "  tool: [\n    'enable',\n",
        text: "    'example.update',\n",
      },
      {
        file: 'gateway/operations/tools/tool-features.ts',
        before: "  mock: { action: 'tool.mock.update' },\n",
        text: "  example: { action: 'tool.example.update' },\n",
      },
      {
        file: 'gateway/operations/tools/tool-features.test.ts',
        before: "    ['progress.update', {",
        text: "    ['example.update', { example: { enabled: true } }],\n",
      },
      {
        file: 'gateway/contract/admin/tools.ts',
        before: "      'tool.monitor.update',\n",
        text: "      'tool.example.update',\n",
      },
      { file: 'gateway/contract/weakening-rules.ts', before: '  mock: MOCK,\n', text: '  example: null,\n' },
      {
        file: 'renderer/admin/tools/features/labels.ts',
        before: '  mock: {\n',
        text: "  example: {\n    group: 'Answers',\n    title: t('Example feature'),\n    about: t('An example.'),\n    brief: () => 'set',\n    fields: {},\n  },\n",
      },
      {
        file: 'renderer/admin/tools/de.json',
        before: '  "Mock": ',
        text: '  "Example feature": "Beispielfunktion",\n  "An example.": "Ein Beispiel.",\n',
      },
    ],
  },
  {
    add: 'a guard',
    edits: [
      {
        file: 'gateway/contract/refusal.ts',
        before: "  rate_limit: 'rate_limit',\n",
        text: "  example: 'example',\n",
      },
      {
        file: 'gateway/pipeline/3-policy/example.ts',
        text: "// An example: refuses one name.\nimport type { Guard } from '../call.ts'\n\nexport const example: Guard = (call) =>\n  call.tool.name === 'example' ? { kind: 'refused', code: 'example', text: 'An example.' } : undefined\n",
      },
      {
        file: 'gateway/pipeline/chain.ts',
        before: "import { type Quarantines, quarantine } from './3-policy/quarantine.ts'\n",
        text: "import { example } from './3-policy/example.ts'\n",
      },
      {
        file: 'gateway/pipeline/chain.ts',
        before: "        ...named('confirm'",
        text: "        ...named('example', example),\n",
      },
      { file: 'docs/troubleshooting.md', before: '**`rate_limit`', text: '**`example`** An example.\n\n' },
    ],
  },
  {
    add: 'a control-plane tool',
    edits: [
      {
        file: 'gateway/control/tools-read.ts',
        before: "  sysTool({\n    ...common,\n    name: 'sys_metrics',\n",
        text: "  sysTool({\n    ...common,\n    name: 'sys_example',\n    title: 'Example',\n    description: 'An example.',\n    args: z.strictObject({}),\n    reply: z.object({ example: z.int() }),\n    run: async () => ({ example: 1 }),\n  }),\n",
      },
      {
        file: 'gateway/control/catalog.fixture.ts',
        before: '  sys_get_client: ',
        text: "  sys_example: { tier: 'read', stepUp: 'none', idempotent: true, about: nothing },\n",
      },
    ],
  },
  {
    add: 'a step rule of composites',
    edits: [
      {
        file: 'gateway/pipeline/composite/compiled.ts',
        after: '    if (id === undefined) continue\n',
        text: "    if (id === 'example') throw new TemplateProblem(`steps.${index}.id`, 'is an example')\n",
      },
    ],
  },
  {
    add: 'a folder of the gateway',
    edits: [
      { file: '.dependency-cruiser.cjs', after: 'control compose', text: ' example' },
      { file: 'gateway/README.md', before: '| `sockets/` |', text: '| `example/` | an example |\n' },
      {
        file: 'gateway/example/example.ts',
        text: "// An example.\nimport { ROLES } from '../contract/role.ts'\n\nexport const example = (): number => ROLES.length\n",
      },
      {
        file: 'gateway/example/example.test.ts',
        text: "// An example is tested.\nimport { expect, it } from 'vitest'\nimport { example } from './example.ts'\n\nit('counts', () => expect(example()).toBeGreaterThan(0))\n",
      },
    ],
  },
  {
    add: 'a source of tools',
    edits: [
      {
        file: 'gateway/discovery/example.ts',
        text: "// An example.\nimport type { Discovery } from './tool.ts'\n\nexport const discoverExample = (): Discovery => ({ tools: [], skipped: [], warnings: [] })\n",
      },
      {
        file: 'gateway/discovery/discover.ts',
        before: "  | { readonly kind: 'manual'; readonly tools: unknown }\n",
        text: "  | { readonly kind: 'example' }\n",
      },
      {
        file: 'gateway/discovery/discover.ts',
        before: "    case 'manual':\n",
        text: "    case 'example':\n      return (await import('./example.ts')).discoverExample()\n",
      },
    ],
  },
  {
    add: 'a table',
    edits: [
      {
        file: 'gateway/storage/migrations/0900-examples.ts',
        text: "// Examples.\nimport type { Migration } from './migration.ts'\n\nexport const examples: Migration = {\n  version: 900,\n  name: 'examples',\n  async up(schema) {\n    await schema\n      .createTable('examples')\n      .addColumn('id', 'integer', (column) => column.primaryKey().notNull())\n      .execute()\n  },\n}\n",
      },
      {
        file: 'gateway/storage/migrations/index.ts',
        before: "import type { Migration } from './migration.ts'\n",
        text: "import { examples } from './0900-examples.ts'\n",
      },
      { file: 'gateway/storage/migrations/index.ts', before: ']\n', text: '  examples,\n' },
      { file: 'gateway/storage/schema.ts', after: 'export type Schema = {\n', text: '  examples: { id: number }\n' },
    ],
  },
  {
    add: 'an editor driver',
    edits: [
      {
        file: 'pcg-bridge/contract/editor.ts',
        after: "export const EDITOR_DRIVERS = ['embedded', ",
        text: "'example', ",
      },
      {
        file: 'pcg-bridge/example/index.ts',
        text: "// An example: an editor that is the embedded one.\nexport { embeddedEditor as exampleEditor } from '../embedded/index.ts'\n",
      },
      {
        file: 'pcg-bridge/hosted/host.ts',
        before: "    if (driver === 'embedded') return",
        text: "    if (driver === 'example') return exampleEditor({ directory: projectDir(dataDir, name) })\n",
      },
      {
        file: 'pcg-bridge/hosted/host.ts',
        before: "import { isLoopback } from '../unreal/http.ts'\n",
        text: "import { exampleEditor } from '../example/index.ts'\n",
      },
      { file: 'gateway/editors/address.ts', before: "    case 'embedded':\n", text: "    case 'example':\n" },
      {
        file: 'renderer/studio/collaboration/AddEditor.tsx',
        before: "      embedded: { label: t('Built in')",
        text: "      example: { label: t('Example editor'), about: t('An editor as an example') },\n",
      },
      {
        file: 'renderer/studio/collaboration/de.json',
        before: '  "Built in": ',
        text: '  "Example editor": "Beispieleditor",\n  "An editor as an example": "Ein Editor als Beispiel",\n',
      },
    ],
  },
  {
    add: 'a PCG tool',
    edits: [
      {
        file: 'pcg-bridge/catalog/inspection.ts',
        before: '  list_pcg_graphs: tool({\n',
        text: "  example_pcg: tool({\n    title: 'Example',\n    effect: 'read',\n    idempotent: true,\n    about: 'An example.',\n    input: z.strictObject({}),\n    output: z.object({ example: z.number() }),\n  }),\n",
      },
      {
        file: 'pcg-bridge/embedded/inspection-tools.ts',
        before: '    async list_pcg_graphs() {\n',
        text: '    example_pcg: async () => ({ example: 1 }),\n',
      },
    ],
  },
  {
    add: 'a page',
    edits: [
      {
        file: 'renderer/pages.ts',
        before: "  {\n    path: '/calls',\n",
        text: "  {\n    path: '/example',\n    title: t('Example page'),\n    about: t('A page as an example'),\n    icon: Activity,\n    section: 'Operate',\n    group: 'Overview',\n    access: 'viewer',\n    goTo: '1',\n    load: async () => ({ Page: (await import('./admin/example/ExamplePage.tsx')).ExamplePage }),\n  },\n",
      },
      ...['expect(seen(session)).toEqual([', "role: 'admin' })).toEqual(["].map((list) => ({
        file: 'renderer/pages.test.ts',
        after: `${list}\n      '/',\n`,
        text: "      '/example',\n",
      })),
      {
        file: 'renderer/admin/example/ExamplePage.tsx',
        text: "// An example.\nimport { t } from '../../language/language.ts'\n\nexport function ExamplePage() {\n  return <p>{t('Hello')}</p>\n}\n",
      },
      { file: 'renderer/admin/example/de.json', text: '{\n  "Hello": "Hallo"\n}\n' },
      {
        file: 'renderer/shell/de.json',
        before: '  "Every call, in real time',
        text: '  "Example page": "Beispielseite",\n  "A page as an example": "Eine Seite als Beispiel",\n',
      },
    ],
  },
  {
    add: 'a panel of the studio',
    edits: [
      {
        file: 'renderer/studio/panels.ts',
        before: "  {\n    id: 'steps',\n",
        text: "  {\n    id: 'example',\n    title: t('Example panel'),\n    side: 'left',\n    icon: Files,\n    Body: lazy(async () => ({ default: (await import('./panels/ExamplePanel.tsx')).ExamplePanel })),\n  },\n",
      },
      {
        file: 'renderer/studio/panels/ExamplePanel.tsx',
        text: "// An example.\nimport type { PanelProps } from '../panels.ts'\n\nexport function ExamplePanel({ editor }: PanelProps) {\n  return <p>{editor}</p>\n}\n",
      },
      {
        file: 'renderer/studio/de.json',
        before: '  "Dock {title}": ',
        text: '  "Example panel": "Beispielpanel",\n',
      },
    ],
  },
  {
    add: 'a rule of the specification',
    edits: [
      {
        file: 'e2e/requirements/gateway/auth.ts',
        before: '    data-plane        252  -',
        text: '    example           252  -         An example.\n',
      },
      {
        file: 'e2e/scenarios/example.test.ts',
        text: "// An example.\nimport { expect, it } from 'vitest'\n\nit('is an example [gw.auth.example]', () => expect(1).toBe(1))\n",
      },
    ],
  },
]
