// The application menu: the platform's own roles, plus the ways into Gantry's folders and modes.
import { Menu, type MenuItemConstructorOptions } from 'electron'

type MenuActions = {
  readonly showFolder: (which: 'data' | 'logs') => Promise<void>
  readonly restart: (mode: 'running' | 'safe') => void
}

export function setMenu({ showFolder, restart }: MenuActions): void {
  const mac: MenuItemConstructorOptions[] = process.platform === 'darwin' ? [{ role: 'appMenu' }] : []
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...mac,
      {
        label: 'File',
        submenu: [
          { label: 'Show Data Folder', click: () => void showFolder('data') },
          { label: 'Show Log Folder', click: () => void showFolder('logs') },
          { type: 'separator' },
          { label: 'Restart Gateway', click: () => restart('running') },
          { label: 'Restart in Safe Mode', click: () => restart('safe') },
          { type: 'separator' },
          { role: process.platform === 'darwin' ? 'close' : 'quit' },
        ],
      },
      { role: 'editMenu' },
      { role: 'viewMenu' },
      { role: 'windowMenu' },
    ]),
  )
}
