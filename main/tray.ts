// The tray icon: there while the window is not.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Menu, nativeImage, Tray } from 'electron'
import type { GatewayStatus } from '#channels'
import { hasTrayHost } from './session-bus.ts'
import { type TrayRow, trayRows, trayTitle } from './tray-menu.ts'

type Deed = Extract<TrayRow, { does: string }>['does']

export type TrayIcon = { readonly show: (status: GatewayStatus, pendingApprovals: number) => void }

export function createTray(icons: string, act: (deed: Deed) => void): TrayIcon {
  // macOS colours its own; a name that ends in Template says that it may.
  const name = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(path.join(icons, name)))
  tray.on('click', () => act('open'))
  return {
    show(status, pendingApprovals) {
      tray.setToolTip(trayTitle(status))
      const rows = trayRows(status, pendingApprovals).map((row) =>
        row === 'separator'
          ? { type: 'separator' as const }
          : 'does' in row
            ? { label: row.label, click: () => act(row.does) }
            : row,
      )
      // Linux shows a changed menu only when it is set again.
      tray.setContextMenu(Menu.buildFromTemplate(rows))
    },
  }
}

/** macOS and Windows always show tray icons; not every desktop of Linux does. */
export const hasTray = async (): Promise<boolean> =>
  process.platform !== 'linux' || hasTrayHost(process.env, process.getuid?.() ?? 0)

/** At login, a panel may start after the application. */
const APPEAR_TRIES = 10
const APPEAR_MS = 1_000

export async function trayAppears(): Promise<boolean> {
  for (let left = APPEAR_TRIES; left > 1; left--) {
    if (await hasTray()) return true
    await sleep(APPEAR_MS)
  }
  return hasTray()
}
