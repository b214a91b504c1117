// The application menu: the platform's own roles, plus the ways into Gantry's folders and pages.
import { Menu, type MenuItemConstructorOptions, shell } from 'electron'

type Places = { readonly dataFolder: string; readonly restartGateway: () => void }

export function setMenu({ dataFolder, restartGateway }: Places): void {
  const mac: MenuItemConstructorOptions[] = process.platform === 'darwin' ? [{ role: 'appMenu' }] : []
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...mac,
      {
        label: 'File',
        submenu: [
          { label: 'Show Data Folder', click: () => void shell.openPath(dataFolder) },
          { label: 'Restart Gateway', click: restartGateway },
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
