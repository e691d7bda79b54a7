def look_for_quarto(*, required):
    return None, "Quarto was not found"
