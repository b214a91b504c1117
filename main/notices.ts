// Words of the system to a person who is not looking at the window.
import { Notification } from 'electron'

/** `page`: what the notice leads to when it is clicked. */
export type Notices = { readonly tell: (title: string, body: string, page?: string) => void }

export function createNotices(wanted: () => boolean, onClick: (page?: string) => void): Notices {
  return {
    tell(title, body, page) {
      if (!wanted() || !Notification.isSupported()) return
      const notice = new Notification({ title, body })
      notice.on('click', () => onClick(page))
      notice.show()
    },
  }
}
