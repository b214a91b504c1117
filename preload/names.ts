// What the window may say: each function of `window.desktop` and its channel. Apart from their schemas, so that the preload stays a few lines.
export const METHODS = {
  adminRequest: 'admin:request',
  gatewayStatus: 'gateway:status',
  gatewayRestart: 'gateway:restart',
  gatewayPause: 'gateway:pause',
  gatewaySafeMode: 'gateway:safe-mode',
  openExternal: 'shell:open-external',
  showFolder: 'shell:show-folder',
  appFacts: 'app:facts',
  changeSettings: 'app:change-settings',
  agentKey: 'app:agent-key',
  givePassphrase: 'app:give-passphrase',
  checkForUpdate: 'app:check-for-update',
  takeLink: 'link:take',
  takePage: 'page:take',
  askAgents: 'agents:ask',
  addServer: 'servers:add',
  listServerTools: 'servers:tools',
  askPrograms: 'servers:ask',
} as const

export type ChannelName = (typeof METHODS)[keyof typeof METHODS]
export const CHANNEL_NAMES: readonly ChannelName[] = Object.values(METHODS)

/** The one line from main to the window; what it carries names its topic. */
export const EVENT_CHANNEL = 'gateway:event'
