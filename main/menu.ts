// The application menu: the platform's own roles, plus the ways into Gantry's folders and modes.
import { Menu, type MenuItemConstructorOptions } from 'electron'
import { t } from './language.ts'

type MenuActions = {
  readonly showFolder: (which: 'data' | 'logs') => Promise<void>
  readonly restart: (mode: 'running' | 'safe') => void
}

type Entry = MenuItemConstructorOptions
const LINE: Entry = { type: 'separator' }

/** Electron names its roles in English only. */
const edit = (): Entry[] => [
  { role: 'undo', label: t('Undo') },
  { role: 'redo', label: t('Redo') },
  LINE,
  { role: 'cut', label: t('Cut') },
  { role: 'copy', label: t('Copy') },
  { role: 'paste', label: t('Paste') },
  { role: 'delete', label: t('Delete') },
  LINE,
  { role: 'selectAll', label: t('Select All') },
]
const view = (): Entry[] => [
  { role: 'reload', label: t('Reload') },
  { role: 'toggleDevTools', label: t('Developer Tools') },
  LINE,
  { role: 'resetZoom', label: t('Actual Size') },
  { role: 'zoomIn', label: t('Zoom In') },
  { role: 'zoomOut', label: t('Zoom Out') },
  LINE,
  { role: 'togglefullscreen', label: t('Full Screen') },
]
const windows = (): Entry[] => [
  { role: 'minimize', label: t('Minimize') },
  { role: 'close', label: t('Close Window') },
]

export function setMenu({ showFolder, restart }: MenuActions): void {
  const onMac = process.platform === 'darwin'
  const mac: Entry[] = onMac ? [{ role: 'appMenu' }] : []
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...mac,
      {
        label: t('File'),
        submenu: [
          { label: t('Show Data Folder'), click: () => void showFolder('data') },
          { label: t('Show Log Folder'), click: () => void showFolder('logs') },
          LINE,
          { label: t('Restart Gateway'), click: () => restart('running') },
          { label: t('Restart in Safe Mode'), click: () => restart('safe') },
          LINE,
          onMac ? { role: 'close', label: t('Close Window') } : { role: 'quit', label: t('Quit Gantry') },
        ],
      },
      { label: t('Edit'), submenu: edit() },
      { label: t('View'), submenu: view() },
      { label: t('Window'), role: 'windowMenu', submenu: windows() },
    ]),
  )
}
