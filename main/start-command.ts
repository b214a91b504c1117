// The command that starts this application again: at login, and for a gantry:// link.
/** The appId of electron-builder.yml, by which Windows joins notifications and windows with the shortcut. */
export const APP_ID = 'dev.gantry.app'

type Environment = Readonly<Record<string, string | undefined>>

export type RunningProgram = {
  readonly packaged: boolean
  readonly execPath: string
  /** The folder of the application, which Electron needs as an argument in development. */
  readonly appPath: string
  readonly env: Environment
}

/** Programs started from another AppImage inherit its variables, so the folder of the mount is compared. */
export function appImage({ packaged, execPath, env: { APPIMAGE, APPDIR } }: RunningProgram): string | undefined {
  return packaged && APPIMAGE && APPDIR && execPath.startsWith(`${APPDIR}/`) ? APPIMAGE : undefined
}

export function startCommand(running: RunningProgram): readonly [program: string, ...args: string[]] {
  const { packaged, execPath, appPath } = running
  // An AppImage runs from a mount that does not exist later.
  return packaged ? [appImage(running) ?? execPath] : [execPath, appPath]
}
