// The dialogs about programs of this computer. They belong to the main process: no page can draw, answer or cover them.
import type { Dialog } from 'electron'
import type { ServerQuestion } from '#gateway-shell'
import { t, word } from './language.ts'

export type Dialogs = Pick<Dialog, 'showMessageBox' | 'showOpenDialog' | 'showSaveDialog'>

type Words = { readonly message: string; readonly note?: string; readonly button: string }

const RUN = { message: word('Run {name} on this computer?'), button: word('Run this program') }
const WORDS: Readonly<Record<ServerQuestion['purpose'], Words>> = {
  add: RUN,
  look: {
    message: word('Start {name} once, to list its tools?'),
    note: word('It is installed without its scripts, started once in the sandbox without a network, and removed.'),
    button: word('Start once'),
  },
  import: {
    ...RUN,
    note: word('It is unpacked, and started once in the sandbox without a network to list its tools.'),
  },
  tools: {
    message: word('Add {name} with these tools?'),
    button: word('Add server'),
  },
  update: {
    message: word('Install a newer version of {name} beside this one?'),
    note: word('It is installed without its scripts. Both versions are started once to compare their tools.'),
    button: word('Install and compare'),
  },
  use: {
    message: word('Use the new version of {name}?'),
    button: word('Use this version'),
  },
  remove: {
    message: word('Remove {name} from this computer?'),
    note: word('Its processes end, and calls to it fail from now on.'),
    button: word('Remove server'),
  },
}

const BUNDLES = (): { name: string; extensions: string[] }[] => [{ name: t('MCP bundle'), extensions: ['mcpb', 'dxt'] }]

/** Each shows the whole command or change; nothing is done where it is closed. */
export const serverDialogs = (dialog: Dialogs) => ({
  async confirm({ purpose, name, lines }: ServerQuestion): Promise<boolean> {
    const { message, note, button } = WORDS[purpose]
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: t(message, { name }),
      detail: [lines, ...(note === undefined ? [] : [t(note)])].join('\n\n'),
      buttons: [t('Cancel'), t(button)],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    })
    return response === 1
  },
  async openFile(): Promise<string | undefined> {
    const { canceled, filePaths } = await dialog.showOpenDialog({ properties: ['openFile'], filters: BUNDLES() })
    return canceled ? undefined : filePaths[0]
  },
  async saveFile(proposed: string): Promise<string | undefined> {
    const { canceled, filePath } = await dialog.showSaveDialog({ defaultPath: proposed, filters: BUNDLES() })
    return canceled || filePath === '' ? undefined : filePath
  },
})
