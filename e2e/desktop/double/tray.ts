// A double of what Electron shows outside its windows: the tray icon and the notices of the system.
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import type { Notice } from './wire.ts'

export type MenuItem = { readonly label?: string; readonly click?: () => void; readonly submenu?: readonly MenuItem[] }

export const nativeImage = {
  createFromPath(file: string): { readonly file: string } {
    // Electron gives an empty image, and an invisible tray icon.
    if (!existsSync(file)) throw new Error(`there is no picture ${file}`)
    return { file }
  },
}

export class Tray extends EventEmitter {
  static only: Tray | undefined
  title = ''
  rows: readonly MenuItem[] = []
  constructor(_image: { readonly file: string }) {
    super()
    Tray.only = this
  }
  setToolTip(title: string): void {
    this.title = title
  }
  setContextMenu(rows: readonly MenuItem[]): void {
    this.rows = rows
  }
}

export const notices: Notice[] = []
export class Notification extends EventEmitter {
  readonly notice: Notice
  static isSupported = (): boolean => true
  constructor(notice: Notice) {
    super()
    this.notice = notice
  }
  show(): void {
    notices.push(this.notice)
  }
}
