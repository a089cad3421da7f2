"""Making labelled games: by a teacher or by self-play."""
