// The search follows the game: a moment after one has stopped at a move.

const REST_MILLISECONDS = 120;
export const WRONG_REVISION = 409;

export class Follower {
  constructor(source, view) {
    Object.assign(this, { source, view, timer: 0, isAsking: false });
  }

  follow() {
    clearTimeout(this.timer);
    if (this.view.isLive) this.timer = setTimeout(() => this.send(), REST_MILLISECONDS);
  }

  /** One question at a time; the newest wish counts. */
  async send() {
    if (this.isAsking) return;
    const { view, view: { game } } = this;
    if (view.isChanging) return this.follow(); // another game may be on its way
    this.isAsking = true;
    const { current: node, revision } = game;
    let position = null;
    try {
      position = await this.source.post("show", { revision, node });
    } catch (error) {
      if (error.status === WRONG_REVISION) await view.reload();
      else view.page.showMessage(error.message);
    }
    this.isAsking = false;
    if (game.current !== node || game.revision !== revision) this.follow();
    else if (position) view.page.follow(position);
  }
}
