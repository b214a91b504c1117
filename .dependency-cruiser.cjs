// The walls between the folders. Reachability, not promise: each rule names the chain that breaks it.
const DOORS = [
  '^gateway/index\\.ts$',
  '^gateway/shell\\.ts$',
  '^gateway/contract/(index|translate)\\.ts$',
  '^pcg-bridge/index\\.ts$',
  '^pcg-bridge/(catalog|contract|library|review|engine)/index\\.ts$',
  '^preload/channels\\.ts$',
]
const TESTS = '(\\.test|\\.suite|\\.fixture)\\.tsx?$'
/** Rooms from the bottom up: a room imports only itself and the rooms before it, types included. Files at the top of a folder see all of it. */
const LADDER = {
  gateway: `
    contract text settings telemetry net mcp secrets storage audit-log records windows instance sandbox processes http discovery auth registry identity
    outcome upstream pipeline surfaces live operations editors jobs sockets admin control compose
  `,
  'pcg-bridge': 'contract catalog picture editor review embedded unreal library engine hosted',
  renderer: 'language api url-params.ts ui admin studio pages.ts shell',
}
/** What the command line, agents' entries and the stdio relay use of the gateway. */
const CLIENT = ['contract', 'text', 'settings', 'mcp', 'storage', 'windows', 'instance', 'sandbox', 'client']
const ladder = Object.entries(LADDER).flatMap(([folder, line]) =>
  line
    .trim()
    .split(/\s+/)
    .map((room, at, rooms) => ({ folder, room, may: rooms.slice(0, at + 1) })),
)
ladder.push({ folder: 'gateway', room: 'client', may: CLIENT })
const pathOf = (folder, room) => `^${folder}/${room.endsWith('.ts') ? `${room.replace('.', '\\.')}$` : `${room}/`}`
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: [TESTS, '^e2e/', '^tools/', '^[^/]+$', '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'gateway-is-headless',
      comment: 'nothing reachable from the headless entry is Electron or another top folder',
      severity: 'error',
      from: { path: '^gateway/serve\\.ts$' },
      to: { reachable: true, path: ['node_modules/electron/', '^(main|preload|renderer)/'] },
    },
    {
      name: 'gateway-stands-alone',
      severity: 'error',
      comment: 'of the bridge it sees the contract, which is pure, and nothing that runs',
      from: { path: '^gateway/', pathNot: ['^gateway/serve(-headless|-one|-pcg)?\\.ts$', '^gateway/client/cli/'] },
      to: { path: '^(main|preload|renderer|pcg-bridge|e2e|tools)/', pathNot: '^pcg-bridge/contract/index\\.ts$' },
    },
    {
      name: 'command-line-reviews-files',
      severity: 'error',
      comment:
        'its commands on files of graphs use the review of the bridge, which is pure, and its engine to run them',
      from: { path: '^gateway/client/cli/' },
      to: {
        path: '^(main|preload|renderer|pcg-bridge|e2e|tools)/',
        pathNot: '^pcg-bridge/(contract|review|engine)/index\\.ts$',
      },
    },
    {
      name: 'review-is-pure',
      severity: 'error',
      comment: 'it runs in a browser and on files: nothing it reaches is Node, an editor that is open, or a folder',
      from: { path: '^pcg-bridge/review/', pathNot: TESTS },
      to: {
        reachable: true,
        pathNot: [
          '^pcg-bridge/(catalog|contract|review)/',
          '^pcg-bridge/editor/(arguments|counted|document|edge|node-index|pcg-error|pins|settings)\\.ts$',
          'node_modules/(yaml|zod)/',
        ],
      },
    },
    {
      name: 'serve-opens-only-the-bridge',
      severity: 'error',
      from: { path: '^gateway/serve(-headless|-one|-pcg)?\\.ts$' },
      to: { path: '^(main|preload|renderer|e2e|tools)/' },
    },
    {
      name: 'bridge-stands-alone',
      severity: 'error',
      from: { path: '^pcg-bridge/' },
      to: { path: '^(main|preload|renderer|gateway|e2e|tools)/' },
    },
    {
      name: 'contracts-are-pure',
      severity: 'error',
      from: { path: ['^gateway/contract/', '^pcg-bridge/(catalog|contract)/'], pathNot: TESTS },
      to: { pathNot: ['^gateway/contract/', '^pcg-bridge/(catalog|contract)/', 'node_modules/zod/'] },
    },
    {
      name: 'renderer-sees-only-contracts',
      severity: 'error',
      from: { path: '^renderer/' },
      // The pure doors only: #gateway and #pcg-bridge open onto Node.
      to: {
        path: '^(main|preload|gateway|pcg-bridge|e2e|tools)/',
        pathNot: [
          '^gateway/contract/(index|translate)\\.ts$',
          '^pcg-bridge/(catalog|contract|library|review)/index\\.ts$',
          '^preload/channels\\.ts$',
        ],
      },
    },
    {
      name: 'one-outbound-door',
      comment: 'requests leave the process through gateway/net only',
      severity: 'error',
      from: { pathNot: [TESTS, '^gateway/net/', '^e2e/', '^tools/'] },
      to: { path: ['node_modules/undici/', 'node_modules/ws/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'upstreams-are-dialled-by-dispatch',
      comment:
        'what sends to an MCP upstream is wired into the dispatch of a call, and is in the hands of nothing else',
      severity: 'error',
      from: {
        path: '^gateway/',
        pathNot: [TESTS, '^gateway/(upstream|compose)/', '^gateway/pipeline/7-dispatch/mcp/'],
      },
      to: { path: '^gateway/upstream/' },
    },
    {
      name: 'nothing-is-spawned',
      comment:
        'programs are started by two places, and itself as several processes, regardless of registrations and upstreams',
      severity: 'error',
      from: {
        path: '^(gateway|pcg-bridge|main|preload)/',
        pathNot: [
          TESTS,
          '^gateway/client/cli/browser\\.ts$',
          '^gateway/client/packages/run-tool\\.ts$',
          '^gateway/(serve-one|processes/parent)\\.ts$',
          '^gateway/sandbox/proof\\.ts$',
          '^gateway/upstream/programs/(process|watchdog|environment)\\.ts$',
        ],
      },
      to: { path: '^(node:)?(child_process|cluster)$' },
    },
    {
      name: 'programs-are-started-by-their-file',
      comment: 'local servers are wired by compose, called by dispatch, and in the reach of no route',
      severity: 'error',
      from: { pathNot: [TESTS, '^gateway/(upstream|compose)/', '^tools/'] },
      to: { path: '^gateway/upstream/programs/' },
    },
    {
      name: 'the-servers-file-is-written-by-a-person',
      comment: 'who writes the file of local servers runs programs: only the command line does, and the window by it',
      severity: 'error',
      from: { pathNot: [TESTS, '^gateway/client/cli/'] },
      to: { path: '^gateway/instance/write-local-servers-file\\.ts$' },
    },
    {
      name: 'packages-are-installed-by-a-person',
      comment:
        'npm, uv and a first start of what they installed are run at a terminal, out of the reach of what serves',
      severity: 'error',
      from: {
        pathNot: [TESTS, '^gateway/client/(cli/servers-(add|bundle|image|pin|programs|tools|window)\\.ts$|packages/)'],
      },
      to: { path: '^gateway/client/packages/' },
    },
    {
      name: 'sandboxes-are-for-starting',
      comment: 'what a sandbox makes of a program is in the hands of what may start it',
      severity: 'error',
      from: {
        pathNot: [
          TESTS,
          '^gateway/(sandbox|upstream/programs|client/packages)/',
          '^gateway/client/cli/check-sandbox\\.ts$',
        ],
      },
      to: { path: '^gateway/sandbox/' },
    },
    {
      name: 'browser-is-for-the-command-line',
      comment: 'what starts a browser is out of the reach of everything that serves',
      severity: 'error',
      from: {
        path: [
          '^gateway/(index|serve|serve-headless|serve-one|serve-processes|serve-stdio|serve-pcg|compose)\\.ts$',
          '^main/',
          '^pcg-bridge/',
        ],
      },
      to: { reachable: true, path: '^gateway/client/cli/browser\\.ts$' },
    },
    {
      name: 'renderer-is-a-browser',
      severity: 'error',
      from: { path: '^renderer/', pathNot: [TESTS, '\\.config\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'preload-is-small',
      severity: 'error',
      from: { path: '^preload/', pathNot: '^preload/channels\\.ts$' },
      to: { path: '^(main|renderer|gateway|pcg-bridge|e2e|tools)/' },
    },
    {
      name: 'channels-see-the-contract',
      severity: 'error',
      from: { path: '^preload/channels\\.ts$' },
      to: { path: '^(main|renderer|gateway|pcg-bridge|e2e|tools)/', pathNot: '^gateway/contract/index\\.ts$' },
    },
    {
      name: 'main-never-renders',
      severity: 'error',
      from: { path: '^main/', pathNot: TESTS },
      to: { path: '^(renderer|e2e|tools)/' },
    },
    {
      name: 'gateway-has-its-own-process',
      comment: 'main starts the program of the gateway, and loads neither it nor its database driver',
      severity: 'error',
      from: { path: '^main/index\\.ts$' },
      to: {
        reachable: true,
        path: [
          '^main/(gateway-process|open-gateway|pcg)\\.ts$',
          '^gateway/(index|compose)\\.ts$',
          '^pcg-bridge/index',
          'node_modules/better-sqlite3/',
        ],
      },
    },
    {
      name: 'main-uses-doors',
      severity: 'error',
      from: { path: '^main/' },
      to: { path: '^(gateway|pcg-bridge|preload)/', pathNot: DOORS },
    },
    {
      name: 'electron-only-in-the-shell',
      severity: 'error',
      from: { pathNot: ['^main/', '^preload/', '^e2e/desktop/'] },
      to: { path: 'node_modules/electron/' },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { pathNot: [TESTS, '^e2e/', '^tools/'] },
      to: { path: [TESTS, '^e2e/'] },
    },
    {
      name: 'ladder-has-every-room',
      comment: 'a new folder takes a place in LADDER',
      severity: 'error',
      from: {
        path: Object.keys(LADDER).map((folder) => `^${folder}/[^/]+/`),
        pathNot: [TESTS, ...ladder.map(({ folder, room }) => pathOf(folder, room))],
      },
      to: {},
    },
    ...ladder.map(({ folder, room, may }) => ({
      name: `ladder-${folder}-${room}`,
      severity: 'error',
      from: { path: pathOf(folder, room), pathNot: TESTS },
      to: { path: `^${folder}/`, pathNot: may.map((each) => pathOf(folder, each)) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^release/', '\\.css$', '\\.d\\.m?ts$'] },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
