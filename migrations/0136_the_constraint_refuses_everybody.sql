-- global tables only
-- What the triggers left behind that 0136 dropped in each cell.
drop function if exists facteur_refuse_everybody();
