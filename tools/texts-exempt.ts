// Texts that every language writes alike, and the areas whose texts are not translated yet.

/** Names of products, protocols and values. */
export const EXEMPT: ReadonlySet<string> = new Set([
  'lately {}',
  'verb {}',
  ' (request {})',
  '(request {})',
  'petstore',
  'REST',
  'GraphQL',
  'MCP',
  'OpenAI',
  'prices',
  'Authorization: Bearer <MCP_KEY>',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  '0 18 * * mon-fri',
  'null',
  '{} min',
  // Classes and drawings.
  'outline-bad-solid opacity-80',
  'outline-2 outline-dashed {}',
  'path(evenodd, "M6 0a6 6 0 1 0 .01 0zM6 3a3 3 0 1 0 .01 0z")',
  'var(--g-bad-solid)',
  'clamp(12px, calc(11px / var(--zoom, 1)), 34px)',
  'linear-gradient(to right, {})',
  // What is typed into the palette.
  'disable',
  'enable',
  'reset',
  'check',
  'try',
  'diagnose',
  'connect',
  // Names and values of PCG.
  'unreal',
  '$Density > 0.5',
  'string',
  'Input',
  'TreeDensity',
  'Gantry',
  '(prefers-contrast: more)',
  // Mistakes of a programmer.
  'No range',
  'The page has no #root to draw into',
  'useBench is for what lies on the canvas',
  'useArrange is for what lies on the canvas',
  'useGestures is for components of an open graph',
  'no command {}',
  // Lines of the desktop's log, and names that it gives.
  'This computer',
  'gantry agent key v1',
  'Gantry gateway',
  '{} answered {}',
  '{} is not a valid settings file: Gantry uses the defaults until a setting is changed.',
  'Unhandled rejection: {}',
  'Uncaught exception: {}',
  'Gantry does not run with --{}.',
  'Gantry cannot start: {}',
  'The gateway did not start: {}',
  'The gateway crashed: {}',
  'The update was not downloaded: {}',
  'The update feed was not followed: {}',
  'After the start of the gateway: {}',
  'gantry update feed 1',
  'Authorization: {}',
  'must be a plain file name',
  'must be a SHA-512 in base64',
  'must be a version',
])

/** Files whose texts are programs, wire formats or messages of the gateway's own process. */
export const PROGRAMS: readonly string[] = [
  'renderer/studio/model/export.ts',
  'main/deep-link.ts',
  'main/gateway-process.ts',
  'main/ipc.ts',
  'main/link-handler.ts',
  'main/open-gateway.ts',
  'main/page.ts',
  'main/port.ts',
  'main/session-bus.ts',
]

/** Shown in English in every language. Must shrink to nothing. */
export const UNTRANSLATED: readonly string[] = ['renderer/language/']
