// Command-line switches that would open the packaged application to anyone who can start it.

/** A debugger, another network path, or a page without its walls. */
const DANGEROUS = [
  'inspect',
  'inspect-brk',
  'inspect-port',
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-allow-origins',
  'proxy-server',
  'proxy-pac-url',
  'host-rules',
  'host-resolver-rules',
  'ignore-certificate-errors',
  'disable-web-security',
  'load-extension',
  'no-sandbox',
  'js-flags',
  'gpu-launcher',
  'renderer-cmd-prefix',
] as const

export function dangerousSwitch(hasSwitch: (name: string) => boolean): string | undefined {
  return DANGEROUS.find((name) => hasSwitch(name))
}
